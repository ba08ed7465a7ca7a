// Part of `npm run check`: how comments of `src` begin, and type names that are declared in many files.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

/** A place that the check refuses, `text` is shown after it. */
interface Finding {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** A comment is a sentence with a subject and a verb: these words begin another kind of phrase. */
const refusedBeginning = /^(?:Of|As|By|The same|That of|Those)\b/;

/** The most files that may declare one type name, which should have one meaning. */
const mostFiles = 3;

/** Texts of the lines on which a comment begins; undefined for other lines. */
function commentBeginnings(lines: readonly string[]): readonly (string | undefined)[] {
  return lines.map((line, at) => {
    const before = lines[at - 1]?.trim() ?? '';
    const own = /^\s*(?:\/\/|\/\*\*?|\*) ?(.*)$/.exec(line);
    if (own === null) return /[;,{}()[\]] \/\/ (.*)$/.exec(line)?.[1];
    if (/^\s*\*/.test(line)) return before === '/**' ? own[1] : undefined;
    return line.trim().startsWith('//') && before.startsWith('//') ? undefined : own[1];
  });
}

function typeName(line: string): string | undefined {
  return /^\s*(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:interface|type|class) (\w+)\b(?!,)/.exec(
    line,
  )?.[1];
}

const paths = execFileSync('git', ['ls-files', 'src/*.ts', 'src/*.js'], { encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);
const sources = paths.map(path => ({ path, lines: readFileSync(path, 'utf8').split('\n') }));

const beginnings = sources.flatMap(({ path, lines }) =>
  commentBeginnings(lines).flatMap((comment, at): readonly Finding[] => {
    const words = refusedBeginning.exec(comment ?? '')?.[0];
    return words === undefined ? [] : [{ path, line: at + 1, text: `a comment begins with “${words}”` }];
  }),
);

const filesOfType = new Map<string, Map<string, number>>();
for (const { path, lines } of sources) {
  for (const [at, line] of lines.entries()) {
    const name = typeName(line);
    if (name === undefined) continue;
    const files = filesOfType.get(name) ?? new Map<string, number>();
    if (!files.has(path)) files.set(path, at + 1);
    filesOfType.set(name, files);
  }
}
const repeatedNames = Array.from(filesOfType).flatMap(([name, files]) =>
  files.size <= mostFiles
    ? []
    : Array.from(files, ([path, line]) => ({
        path,
        line,
        text: `the type \`${name}\` is declared in ${files.size} files`,
      })),
);

for (const { path, line, text } of [...beginnings, ...repeatedNames]) {
  console.error(`${path}:${line} ${text}`);
  process.exitCode = 1;
}
