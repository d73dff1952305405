/** Files and sections that documents and comments refer to must exist. Each check returns its complaints as lines. */
import { dirname, join, normalize } from 'node:path';
import type { Project } from './project-files.ts';

interface Target {
  path: string;
  anchor?: string | undefined;
}

/** A path from the root of the repository. */
const FROM_ROOT = /^(apps|packages|scripts|docs|tools|bench|prove|tests|examples)\/[\w.@()/[\]-]+$/;
/** A path of a source file or a folder, from anywhere. Placeholders such as `<name>` are removed first. */
const RELATIVE = /^(?:[\w.@()[\]-]+\/)+$|^(?:[\w.@()[\]-]+\/)*[\w.@()[\]-]+\.(?:tsx?|d\.mts|mjs|prisma|md)$/;
/** A line of a file list in a fenced block without a language: one or more paths, then their description. */
const LISTED = /^ *((?:[\w@()[\]-][\w.@()[\]-]*\/?)+(?: [\w.@()/[\]-]+)*)(?: {2,}|$)/;
const CITATION = /(?<![\w/}.])docs\/(?:decisions\/)?[a-z-]+\.md(?:#[\w-]+)?/g;
const CODE = /\.(ts|tsx|mjs|mts|prisma|sql)$/;

const withoutFences = (text: string) => text.replaceAll(/^```.*?^```/gms, '');
const quotedIn = (text: string) =>
  [...withoutFences(text).matchAll(/`([^`\s]+)`/g)].map(([, target = '']) => target);

/** The targets of a document's links, except web addresses. */
const linksIn = (file: string, text: string): Target[] =>
  [...withoutFences(text).matchAll(/\]\(([^)\s#]*)(?:#([^)]*))?\)/g)]
    .map(([, target = '', anchor]) => ({ target, anchor }))
    .filter(({ target }) => !/^[a-z]+:/i.test(target))
    .map(({ target, anchor }) => ({
      path: target === '' ? file : normalize(join(dirname(file), target)),
      anchor,
    }));

/** The anchor that GitHub generates for a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const hasAnchor = ({ read }: Project, path: string, anchor: string) =>
  !path.endsWith('.md') ||
  [...withoutFences(read(path)).matchAll(/^#+ (.+)$/gm)].some(([, title = '']) => anchorOf(title) === anchor);

const found = (project: Project, { path, anchor }: Target) =>
  project.exists(path) && (!anchor || hasAnchor(project, path, anchor));
const shown = ({ path, anchor }: Target) => (anchor ? `${path}#${anchor}` : path);

/** The target of a link, and a path from the root in backticks, must exist. */
export function deadPathsInDocs(project: Project): string[] {
  return project.files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => {
      const text = project.read(file);
      const quoted: Target[] = quotedIn(text)
        .filter((path) => FROM_ROOT.test(path))
        .map((path) => ({ path }));
      return [...linksIn(file, text), ...quoted]
        .filter((target) => !found(project, target))
        .map((target) => `${file} mentions ${shown(target)}, which does not exist`);
    });
}

/** Comments cite documents by path and section (`docs/requirements.md#limits`). */
export function deadCitations(project: Project): string[] {
  return project.files
    .filter((file) => CODE.test(file))
    .flatMap((file) =>
      [...new Set(project.read(file).match(CITATION))]
        .map((citation): Target => {
          const [path = '', anchor] = citation.split('#');
          return { path, anchor };
        })
        .filter((target) => !found(project, target))
        .map((target) => `${file} cites ${shown(target)}, which does not exist`),
    );
}

const listedIn = (text: string) =>
  [...text.matchAll(/^ *```\n(.*?)^ *```$/gms)]
    .flatMap(([, block = '']) => block.split('\n'))
    .flatMap((line) => LISTED.exec(line)?.[1]?.split(' ') ?? []);

/**
 * A README may refer to a file by the end of its path (`strategies/index.ts`). Such a file must exist in the README's workspace, or in
 * another workspace of which the README mentions a path from the root.
 */
export function deadNamesInReadmes({ files, read, exists, workspaces }: Project): string[] {
  const folders = workspaces.map(({ dir }) => `${dir}/`).filter((dir) => dir !== '/');
  return files
    .filter((file) => file.endsWith('README.md') || file === 'ARCHITECTURE.md')
    .flatMap((file) => {
      const text = read(file);
      const names = [...quotedIn(text), ...listedIn(text)];
      const near = folders.filter((dir) => [file, ...names].some((path) => path.startsWith(dir)));
      const paths = files.filter((path) => near.length === 0 || near.some((dir) => path.startsWith(dir)));
      const endsSome = (name: string) =>
        name.endsWith('/')
          ? paths.some((path) => path.includes(`/${name}`))
          : paths.some((path) => path.endsWith(`/${name}`));
      return [...new Set(names)]
        .map((name) => name.replace(/^(\.\.?\/)+/, '').replace(/[^/]*<.*$/, ''))
        .filter((name) => RELATIVE.test(name) && !exists(name) && !endsSome(name))
        .map((name) => `${file} names ${name}, which does not exist`);
    });
}
