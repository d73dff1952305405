export interface Snippet {
  value: string;
  label: string;
  language: string;
  note: string;
  text: string;
}

/** @param baseUrl where this service answers @param slug the account's */
export function snippets(baseUrl: string, slug: string): Snippet[] {
  return [
    {
      value: 'element',
      label: 'Element',
      language: 'HTML',
      note: 'One script and one tag, for any page. The token URL is asked with your own cookies and answers { "token": "…" }.',
      text: `<script src="${baseUrl}/embed.js" defer></script>

<clarion-phone
  url="${baseUrl}"
  token-url="/calls/token"
  call-url="/calls/new"
></clarion-phone>`,
    },
    {
      value: 'react',
      label: 'React',
      language: 'TSX',
      note: 'The same element in JSX: React 19 hands functions on to it. Load embed.js in the page, as under Element.',
      text: `const getToken = async () => {
  const response = await fetch('/calls/token', { credentials: 'include' });
  const { token } = await response.json();
  return token;
};

export const CallPane = () => (
  <clarion-phone url="${baseUrl}" getToken={getToken} style={{ width: 340, height: 600 }} />
);`,
    },
    {
      value: 'iframe',
      label: 'Frame',
      language: 'HTML',
      note: 'Apart from your page altogether. It works on the origins above alone, asks your page for the token by message, and needs the microphone to be allowed.',
      text: `<iframe
  id="phone"
  src="${baseUrl}/embed/phone/${slug}"
  allow="microphone; autoplay"
  title="Phone"
></iframe>

<script>
  const phone = document.getElementById('phone');
  addEventListener('message', async ({ origin, source, data }) => {
    if (origin !== '${baseUrl}' || source !== phone.contentWindow) return;
    if (data?.type !== 'clarion:token-request') return;
    const { token } = await (await fetch('/calls/token')).json();
    source.postMessage({ type: 'clarion:token', id: data.id, token }, origin);
  });
</script>`,
    },
  ];
}
