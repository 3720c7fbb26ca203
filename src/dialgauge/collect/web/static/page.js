/* Saves each answer as soon as it is given, and tries again where that fails. Without this file the page is a form. */
"use strict";
(() => {
  const form = document.getElementById("questions");
  const status = document.getElementById("state");
  const problems = document.getElementById("problems");
  const finish = document.getElementById("complete");
  let questions = [...form.querySelectorAll(".question")];
  const task = form.elements.task.value;
  const place = `dialgauge:${form.dataset.who}:${task}`; // of unsaved answers, so that a reload keeps them
  const unsaved = new Map(); // field -> answer
  const tried = new Map(); // field -> answers that were sent and may have arrived, though no reply came back
  const sending = new Set(); // fields
  const LONGEST_WAIT = 30000;
  const GIVE_UP = 20000; // longer than the server lets a request wait
  let failures = 0, timer = 0, stopped = "", leaving = false, wanted = null;

  const read = (question) => {
    const chosen = question.querySelector("input:checked");
    const typed = question.querySelector("input[type=number]");
    return chosen ? chosen.value : typed ? typed.value.trim() : "";
  };
  const field = (name) => questions.find((question) => question.dataset.field === name);
  const revisionOf = (question) => form.elements[`revision:${question.dataset.dimension}`]; // of the answer shown

  const put = (question, answer) => {
    const input = [...question.querySelectorAll("input")].find((one) => one.value === answer);
    const typed = question.querySelector("input[type=number]");
    for (const one of question.querySelectorAll("input:not([type=number])")) one.checked = one === input;
    if (typed) typed.value = input && input !== typed ? "" : answer;
  };

  const keep = () => {
    const kept = [...unsaved].map(([name, answer]) =>
      [name, answer, Number(revisionOf(field(name)).value), [...(tried.get(name) || [])]]);
    try {
      if (kept.length) localStorage.setItem(place, JSON.stringify(kept));
      else localStorage.removeItem(place);
    } catch { /* no storage: the page asks before it is left */ }
  };

  const mark = (question, word, problem = "") => {
    const state = question.querySelector(".state");
    state.textContent = word;
    state.classList.toggle("waiting", word !== "saved");
    const told = question.querySelector(".problem");
    told.textContent = problem;
    told.hidden = !problem;
    if (word === "saved") question.dataset.answered = "";
    else if (problem) delete question.dataset.answered;
  };

  const tell = () => {
    const answered = questions.filter((question) => "answered" in question.dataset).length;
    const counts = `${answered} of ${questions.length} answered`;
    const n = unsaved.size;
    const rest = stopped || (n === 0 ? (answered ? ". All saved." : "")
      : failures ? `. ${n} not saved yet: the connection failed, trying again.` : ". Saving…");
    const said = stopped ? stopped : counts + rest;
    if (status.textContent !== said) status.textContent = said;
    status.classList.toggle("alarm", Boolean(stopped || failures));
    if (questions.every((question) => question.querySelector(".problem").hidden)) problems.hidden = true;
  };

  const stop = (message) => {
    stopped = `${message} What is not saved yet is kept in this browser.`;
    tell();
  };

  const later = () => {
    failures += 1;
    clearTimeout(timer);
    timer = setTimeout(sendAll, Math.min(LONGEST_WAIT, 500 * 2 ** failures));
  };

  const send = async (name) => {
    const answer = unsaved.get(name);
    const question = field(name);
    const revision = revisionOf(question);
    sending.add(name);
    tried.set(name, (tried.get(name) || new Set()).add(answer));
    mark(question, "saving…");
    let response = null, said = {};
    try {
      response = await fetch("/answer", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Form-Token": form.elements.token.value },
        body: JSON.stringify({ task, dimension: question.dataset.dimension, answer, revision: Number(revision.value) }),
        signal: AbortSignal.timeout ? AbortSignal.timeout(GIVE_UP) : undefined,
        credentials: "same-origin",
        redirect: "error",
      });
      said = await response.json();
    } catch { response = response && response.ok ? null : response; }
    sending.delete(name);
    const current = unsaved.get(name) === answer;
    if (response && said.revision) revision.value = said.revision;
    if (response && response.ok && said.saved) {
      failures = 0;
      tried.delete(name);
      if (current) { unsaved.delete(name); mark(question, "saved"); }
      else send(name);
    } else if (response && said.changed && tried.get(name).has(said.answer)) { // by this page: the reply was lost
      tried.delete(name);
      send(name);
    } else if (response && said.changed) {
      unsaved.delete(name);
      tried.delete(name);
      wanted = null;
      put(question, said.answer);
      mark(question, "saved", said.problem);
    } else if (response && response.status === 410) {
      unsaved.delete(name);
      mark(question, "", said.problem);
      question.disabled = true;
      questions = questions.filter((one) => one !== question);
    } else if (response && response.status === 422) {
      if (current) { unsaved.delete(name); mark(question, "not saved", said.problem); }
      else send(name);
    } else if (response && response.status >= 400 && response.status < 500 && ![408, 429].includes(response.status)) {
      mark(question, "not saved");
      stop(said.problem || "This was not possible. Please load the page again.");
    } else {
      mark(question, "not saved yet");
      later();
    }
    keep();
    tell();
    if (wanted && !unsaved.size) { const button = wanted; wanted = null; form.requestSubmit(button); }
  };

  const sendAll = () => {
    if (stopped) return;
    for (const name of unsaved.keys()) if (!sending.has(name)) send(name);
  };

  const give = (question) => {
    const typed = question.querySelector("input[type=number]");
    const answer = read(question);
    if (!answer) return;
    if (typed && answer === typed.value.trim() && !typed.checkValidity()) {
      mark(question, "not saved", typed.validationMessage);
      return;
    }
    unsaved.set(question.dataset.field, answer);
    keep();
    if (!sending.has(question.dataset.field) && !stopped) send(question.dataset.field);
    tell();
  };

  const goTo = (question) => {
    const input = question.querySelector("input:checked") || question.querySelector("input");
    input.focus({ preventScroll: true });
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    question.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
  };

  form.addEventListener("change", (event) => {
    const question = event.target.closest(".question");
    if (!question) return;
    const box = question.querySelector("input[type=checkbox]");
    if (box && event.target !== box) box.checked = false;
    const typed = question.querySelector("input[type=number]");
    if (typed && event.target === box && box.checked) typed.value = "";
    give(question);
  });

  form.addEventListener("keydown", (event) => {
    const question = event.target.closest(".question");
    if (!question || event.target.type === "number" || event.ctrlKey || event.altKey || event.metaKey) return;
    if (!/^[0-9]$/.test(event.key)) return;
    const input = question.querySelector(`input[data-key="${event.key}"]`);
    if (!input) return;
    event.preventDefault();
    if (!input.checked) {
      input.checked = true;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
    const next = questions[questions.indexOf(question) + 1];
    if (next) goTo(next);
    else finish.focus();
  });

  form.addEventListener("submit", (event) => {
    const button = event.submitter || finish;
    if (leaving) { event.preventDefault(); return; }
    const lacking = questions.filter((question) => !read(question));
    if (lacking.length) {
      event.preventDefault();
      for (const question of lacking) mark(question, "", "This question has no answer yet.");
      problems.hidden = false;
      problems.textContent = lacking.length === 1 ? "One question has no answer yet."
        : `${lacking.length} questions have no answer yet.`;
      goTo(lacking[0]);
      tell();
      return;
    }
    if (unsaved.size) { // it is completed once everything is saved
      event.preventDefault();
      wanted = button;
      sendAll();
      return;
    }
    leaving = true;
  });

  addEventListener("pageshow", () => { leaving = false; });
  addEventListener("online", sendAll);
  addEventListener("beforeunload", (event) => { if (unsaved.size && !stopped) event.preventDefault(); });

  const readKept = () => {
    try { return JSON.parse(localStorage.getItem(place)) || []; } catch { return []; }
  };

  const restore = (kept) => { // what was answered elsewhere since then is newer, unless this browser sent it
    for (const [name, answer, revision = 0, sent = []] of kept) {
      const question = field(name);
      if (!question || unsaved.has(name)) continue;
      if (Number(revisionOf(question).value) <= revision || sent.includes(read(question))) {
        put(question, answer);
        give(question);
      } else if (read(question) !== answer) {
        mark(question, "saved", form.dataset.changed);
      }
    }
    if (!unsaved.size) keep();
  };

  const isAsSent = (input) => input.type === "number" ? input.value === input.defaultValue
    : input.checked === input.defaultChecked;
  const catchUp = () => { // what was chosen before this file was here
    for (const question of questions)
      if (![...question.querySelectorAll("input")].every(isAsSent)) give(question);
  };

  document.querySelector(".keys").hidden = false;
  const kept = readKept();
  catchUp();
  restore(kept);
  tell();
  const wrong = questions.find((question) => !question.querySelector(".problem").hidden);
  if (wrong) goTo(wrong);
})();
