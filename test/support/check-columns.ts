import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const limit = 120;

/** One word after an optional comment or list mark, such as a URL: it has no place for a line break. */
const isOneWord = (line: string): boolean => /^\s*(?:\/\/|\*|-|#)?\s*\S+$/.test(line);

/** Numbers of the lines that end after column 120. In Markdown, tables and fenced blocks may be wider. */
function longLines(path: string): readonly number[] {
  const isMarkdown = path.endsWith('.md');
  let isFenced = false;
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, at) => {
      if (isMarkdown && /^\s*(?:>\s*)?```/.test(line)) isFenced = !isFenced;
      const mayBeWide = isMarkdown && (isFenced || line.startsWith('|'));
      return line.length > limit && !mayBeWide && !isOneWord(line) ? [at + 1] : [];
    });
}

// Part of `npm run check`: prettier's printWidth does not break comments and strings.
const paths = execFileSync('git', ['ls-files', '*.ts', '*.js', '*.mjs', '*.css', '*.md', '.ci/run'], {
  encoding: 'utf8',
});
const found = paths
  .split('\n')
  .filter(Boolean)
  .flatMap(path => longLines(path).map(line => `${path}:${line} is longer than ${limit} columns`));
for (const text of found) console.error(text);
process.exitCode = found.length === 0 ? 0 : 1;
