import { drawnInWords, start, text } from './page.js';

drawnInWords(() => {
  document.title = text('filmPage');
});
start();

// Coming from here means wanting a place; reloading the waiting room only means wanting to see it.
document.getElementById('buy')?.addEventListener('click', () => {
  try {
    sessionStorage.setItem('sluice:intent', 'enter');
  } catch {
    // Then the waiting room asks.
  }
});
