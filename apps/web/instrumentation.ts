/** Next calls this once when the web process starts. It is also compiled for the edge runtime, which has no Node modules. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { begin } = await import('./instrumentation-node.ts');
  begin();
}
