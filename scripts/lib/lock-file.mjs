/**
 * The optional packages that something in the lock file asks for and the lock file lacks.
 *
 * @param {{ packages: Record<string, { optionalDependencies?: Record<string, string>, dev?: boolean }> }} lock
 */
export function missingFromLock({ packages }) {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {}, dev }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !foldersUp(path).some((dir) => packages[`${dir}node_modules/${name}`]))
      .map(([name, version]) => ({ name, version, dev })),
  );
}

/** Where Node would look from `path`: its own folder, those above it, the root. */
function foldersUp(path) {
  const parts = path === '' ? [] : path.split('/');
  return [...parts.keys()].map((i) => `${parts.slice(0, parts.length - i).join('/')}/`).concat('');
}
