/** What documents and comments refer to must exist. Each check returns its complaints as lines, none when all is well. */
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { projectFiles, readProjectFile, workspaces } from './files.mjs';
import { inRoot } from './paths.mjs';

/** A path from the root of the repository. */
const FROM_ROOT = /^(apps|packages|scripts|docs|tools|bench|prove|tests|examples)\/[\w.@()/[\]-]+$/;
/** A path of a source file or a folder, from anywhere. Placeholders such as `<name>` are removed first. */
const RELATIVE = /^(?:[\w.@()[\]-]+\/)+$|^(?:[\w.@()[\]-]+\/)*[\w.@()[\]-]+\.(?:tsx?|d\.mts|mjs|prisma|md)$/;
/** A line of a file list in a fenced block without a language: one or several paths, then what they are. */
const LISTED = /^ *((?:[\w@()[\]-][\w.@()[\]-]*\/?)+(?: [\w.@()/[\]-]+)*)(?: {2,}|$)/;
const CITATION = /(?<![\w/}.])docs\/(?:decisions\/)?[a-z-]+\.md(?:#[\w-]+)?/g;
const CODE = /\.(ts|tsx|mjs|mts|prisma|sql)$/;

const withoutFences = (text) => text.replaceAll(/^```.*?^```/gms, '');
const quotedIn = (text) => [...withoutFences(text).matchAll(/`([^`\s]+)`/g)].map(([, target]) => target);

/** @returns {{ path: string, anchor: string | undefined }[]} where the links of a document lead, outside web addresses */
const linksIn = (file, text) =>
  [...withoutFences(text).matchAll(/\]\(([^)\s#]*)(?:#([^)]*))?\)/g)]
    .filter(([, target]) => !/^[a-z]+:/i.test(target))
    .map(([, target, anchor]) => ({
      path: target === '' ? file : normalize(join(dirname(file), target)),
      anchor,
    }));

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const hasAnchor = (path, anchor) =>
  !path.endsWith('.md') ||
  [...withoutFences(readProjectFile(path)).matchAll(/^#+ (.+)$/gm)].some(
    ([, title]) => anchorOf(title) === anchor,
  );

const found = ({ path, anchor }) => existsSync(inRoot(path)) && (!anchor || hasAnchor(path, anchor));
const shown = ({ path, anchor }) => (anchor ? `${path}#${anchor}` : path);

/** A link, or a path from the root in backticks, must lead somewhere. */
export function deadPathsInDocs(files = projectFiles()) {
  return files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => {
      const text = readProjectFile(file);
      const quoted = quotedIn(text)
        .filter((path) => FROM_ROOT.test(path))
        .map((path) => ({ path }));
      return [...linksIn(file, text), ...quoted]
        .filter((target) => !found(target))
        .map((target) => `${file} mentions ${shown(target)}, which does not exist`);
    });
}

/** Comments cite documents by path and section (`docs/requirements.md#limits`). */
export function deadCitations(files = projectFiles()) {
  return files
    .filter((file) => CODE.test(file))
    .flatMap((file) =>
      [...new Set(readProjectFile(file).match(CITATION))]
        .map((citation) => citation.split('#'))
        .filter(([path, anchor]) => !found({ path, anchor }))
        .map((parts) => `${file} cites ${parts.join('#')}, which does not exist`),
    );
}

const listedIn = (text) =>
  [...text.matchAll(/^ *```\n(.*?)^ *```$/gms)]
    .flatMap(([, block]) => block.split('\n'))
    .flatMap((line) => LISTED.exec(line)?.[1].split(' ') ?? []);

/**
 * A README names files by the end of their path (`strategies/index.ts`). One must end so in its own workspace, or in one that the README
 * mentions by a whole path.
 */
export function deadNamesInReadmes(files = projectFiles()) {
  const folders = workspaces()
    .map(({ dir }) => `${dir}/`)
    .filter((dir) => dir !== '/');
  return files
    .filter((file) => file.endsWith('README.md') || file === 'ARCHITECTURE.md')
    .flatMap((file) => {
      const text = readProjectFile(file);
      const names = [...quotedIn(text), ...listedIn(text)];
      const near = folders.filter((dir) => [file, ...names].some((path) => path.startsWith(dir)));
      const paths = files.filter((path) => near.length === 0 || near.some((dir) => path.startsWith(dir)));
      const exists = (name) =>
        name.endsWith('/')
          ? paths.some((path) => path.includes(`/${name}`))
          : paths.some((path) => path.endsWith(`/${name}`));
      return [...new Set(names)]
        .map((name) => name.replace(/^(\.\.?\/)+/, '').replace(/[^/]*<.*$/, ''))
        .filter((name) => RELATIVE.test(name) && !existsSync(inRoot(name)) && !exists(name))
        .map((name) => `${file} names ${name}, which does not exist`);
    });
}
