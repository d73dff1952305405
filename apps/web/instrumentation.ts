/** Next calls this once when the web process starts; it makes one for its edge runtime too, which has none of what Node has. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { begin } = await import('./instrumentation-node.ts');
  begin();
}
