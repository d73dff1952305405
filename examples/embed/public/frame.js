/** The parent page's side of the frame: it provides tokens, creates calls and receives events. */
const frame = document.querySelector('iframe');
const last = document.querySelector('#last');
const clarion = frame ? new URL(frame.src).origin : '';

/** @param {object} message */
const tell = (message) => frame?.contentWindow?.postMessage(message, clarion);

/** @param {RequestInit} [init] @param {string} address */
async function ask(address, init) {
  const response = await fetch(address, init);
  const body = await response.json();
  if (!response.ok) throw new Error(body.error);
  return body;
}

addEventListener('message', async ({ origin, source, data }) => {
  if (origin !== clarion || source !== frame?.contentWindow) return;
  const { type, id } = data;
  try {
    if (type === 'clarion:token-request') {
      const { token } = await ask('/token');
      tell({ type: 'clarion:token', id, token });
    } else if (type === 'clarion:call-request') {
      const body = JSON.stringify({ line: data.line, to: data.to });
      const { callId } = await ask('/calls', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      });
      tell({ type: 'clarion:call', id, callId });
    } else if (type === 'clarion:event' && last) {
      const { call, state } = data.detail;
      last.textContent = [data.event, state, call?.customer.address].filter(Boolean).join(' ');
    }
  } catch (error) {
    tell({
      type: 'clarion:error',
      id,
      message: error instanceof Error ? error.message : 'The request failed.',
    });
  }
});
