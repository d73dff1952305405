/** Shows the last event of the element. */
const last = document.querySelector('#last');
const phone = document.querySelector('clarion-phone');

for (const type of ['incoming', 'state', 'ended', 'connection'])
  phone?.addEventListener(type, (event) => {
    const { call, state } = /** @type {CustomEvent} */ (event).detail;
    if (last) last.textContent = [type, state, call?.customer.address].filter(Boolean).join(' ');
  });
