export interface Snippet {
  value: string;
  label: string;
  language: string;
  note: string;
  text: string;
}

/** @param baseUrl the URL of this service @param slug the account's */
export function snippets(baseUrl: string, slug: string): Snippet[] {
  return [
    {
      value: 'element',
      label: 'Element',
      language: 'HTML',
      note: 'One script and one tag, for any page. The token URL is requested with the cookies of your page and returns { "token": "…" } for the signed-in user.',
      text: `<script src="${baseUrl}/embed.js"></script>
<clarion-phone token-url="/clarion-token" call-url="/clarion-calls"></clarion-phone>`,
    },
    {
      value: 'react',
      label: 'React',
      language: 'JSX',
      note: 'The custom element in React 19, which sets functions as properties and listens to its events. Load the script before React renders it.',
      text: `// In the page, before your own script:
// <script defer src="${baseUrl}/embed.js"></script>

const getToken = async () => (await (await fetch('/clarion-token')).json()).token;

export const Phone = () => <clarion-phone size="large" getToken={getToken} />;`,
    },
    {
      value: 'iframe',
      label: 'Frame',
      language: 'HTML',
      note: 'Isolated from your page. Only pages of the origins above can show it, and the frame must allow the microphone. It requests the token from your page with postMessage.',
      text: `<iframe
  src="${baseUrl}/embed/phone/${slug}"
  title="Phone"
  allow="microphone; autoplay"
  style="width: 340px; height: 600px; border: 0"
></iframe>

<script>
  const frame = document.querySelector('iframe');
  addEventListener('message', async ({ origin, source, data }) => {
    if (origin !== '${baseUrl}' || source !== frame.contentWindow) return;
    if (data.type !== 'clarion:token-request') return;
    const { token } = await (await fetch('/clarion-token')).json();
    source.postMessage({ type: 'clarion:token', id: data.id, token }, origin);
  });
</script>`,
    },
  ];
}
