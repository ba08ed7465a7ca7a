import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../cli/process.ts';

/** A page of the documentation. */
export interface Readme {
  /** Relative to the root of the repository: `src/search/README.md`. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block of code. */
export interface Block {
  readonly language: string;
  readonly content: string;
  /** The line of its fence, from 1. */
  readonly line: number;
  /** The HTML comment directly before it: `not run: REASON` or `run by: FILE`. */
  readonly note: string | undefined;
}

/** Every README of the repository, the one of the root first, then by path. */
export const readmes: readonly Readme[] = ['', ...foldersBelow('')]
  .map(folder => join(folder, 'README.md'))
  .flatMap(path => {
    const found = readdirSync(join(root, path, '..')).includes('README.md');
    return found ? [{ path, text: readFileSync(join(root, path), 'utf8') }] : [];
  });

/** Paths of all folders below one, without those of tools and of packages. */
function foldersBelow(folder: string): string[] {
  const skipped = /^(\..*|node_modules|data|coverage|bench-results)$/;
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !skipped.test(entry.name))
    .map(({ name }) => join(folder, name))
    .sort()
    .flatMap(path => [path, ...foldersBelow(path)]);
}

/** The text of one README. Throws Error where there is none. */
export function readme(path: string): string {
  const found = readmes.find(page => page.path === path);
  if (found === undefined) throw new Error(`There is no ${path}`);
  return found.text;
}

/** The fenced blocks of a page, in order. */
export function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(/(?:^<!-- (.*) -->\n\n?)?^```(\w*)\n([^]*?)^```$/gm)].map(match => ({
    language: match[2] ?? '',
    content: match[3] ?? '',
    line: text.slice(0, match.index + match[0].indexOf('```')).split('\n').length,
    note: match[1],
  }));
}

/** A page without its blocks of code. Lines keep their numbers. */
export function proseOf(text: string): string {
  return text.replaceAll(/^```\w*\n[^]*?^```$/gm, block => block.replaceAll(/[^\n]/g, ''));
}

/** The part of a page from a heading to the next one of the same level or above. Throws Error where there is none. */
export function section(path: string, heading: string): string {
  const lines = readme(path).split('\n');
  const start = lines.findIndex(line => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start < 0) throw new Error(`${path} has no heading “${heading}”`);
  const level = lines[start]?.indexOf(' ') ?? 0;
  let isCode = false;
  const length = lines.slice(start + 1).findIndex(line => {
    if (line.startsWith('```')) isCode = !isCode;
    return !isCode && /^#+ /.test(line) && line.indexOf(' ') <= level;
  });
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n');
}

/** The first block of a language below a heading. Throws Error where there is none. */
export function example(path: string, heading: string, language: string): string {
  const found = blocksOf(section(path, heading)).find(block => block.language === language);
  if (found === undefined) throw new Error(`${path} has no ${language} below “${heading}”`);
  return found.content;
}

/** The cells of the rows of the table whose header begins so. Throws Error where there is none. */
export function rowsOf(path: string, header: string): string[][] {
  const lines = readme(path).split('\n');
  const start = lines.findIndex(line => line.startsWith(`| ${header} `));
  if (start < 0) throw new Error(`${path} has no table that begins with “${header}”`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex(line => !line.startsWith('|'));
  return rows.slice(0, end).map(line =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map(cell => cell.trim()),
  );
}
