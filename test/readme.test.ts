// The READMEs agree with the code, with each other and with the shape that they are to have.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './cli/process.ts';
import { exitCodeMeanings } from '../src/cli/command.ts';
import { commands } from '../src/cli/commands.ts';
import { findings } from '../src/cli/verify.ts';
import { clientSchema, userSchema } from '../src/smart/accounts/accounts-schema.ts';
import { issuerSchema } from '../src/config/issuers.ts';
import { settings } from '../src/config/settings.ts';
import { keysTable, settingsTable } from '../src/config/tables.ts';
import { proseOf, readme, readmes, rowsOf } from './support/readmes.ts';

/** The names of the headings as GitHub links to them. https://docs.github.com/get-started/writing-on-github */
function anchorsOf(text: string): string[] {
  const seen = new Map<string, number>();
  return headingsOf(text).map(({ title }) => {
    const slug = title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

function headingsOf(text: string): { level: number; title: string }[] {
  return [...proseOf(text).matchAll(/^(#+) (.*)$/gm)].map(([, marks = '', title = '']) => ({
    level: marks.length,
    title,
  }));
}

/** The targets of the links of a page, without those in code. */
function linksOf(text: string): string[] {
  const prose = proseOf(text).replaceAll(/`[^`]*`/g, '``');
  return [...prose.matchAll(/\[[^\]]*\]\(([^)]*)\)/g)].map(([, target = '']) => target);
}

/** Paths of all files below a folder of the repository. */
function filesBelow(folder: string): string[] {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return paths.map(path => join(folder, path).replaceAll(sep, '/'));
}

const links = readmes.flatMap(({ path, text }) => linksOf(text).map(target => ({ path, target })));

describe('every README', () => {
  it('is found', () => {
    expect(readmes.length).toBeGreaterThan(20);
    expect(readmes[0]?.path).toBe('README.md');
    expect(links.length).toBeGreaterThan(100);
  });

  it('links to files, folders and headings that exist', () => {
    const wrong = links.filter(({ path, target }) => {
      if (target.startsWith('https://')) return false;
      const [file = '', anchor] = target.split('#');
      const linked = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(root, linked))) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(join(root, linked), 'utf8')).includes(anchor);
    });
    expect(wrong).toEqual([]);
  });

  it('is linked from another one, so that each can be found from the first', () => {
    const linked = (from: string): string[] =>
      links
        .filter(({ path, target }) => path === from && !target.startsWith('https:') && !target.startsWith('#'))
        .map(({ target }) => join(dirname(from), target.split('#')[0] ?? ''));
    const reached = new Set(['README.md']);
    for (const path of reached) for (const next of linked(path)) if (next.endsWith('README.md')) reached.add(next);
    expect(readmes.map(({ path }) => path).filter(path => !reached.has(path))).toEqual([]);
  });

  it('has prose of at most 120 columns', () => {
    const long = readmes.flatMap(({ path, text }) =>
      proseOf(text)
        .split('\n')
        .flatMap((line, at) => (line.length > 120 && !line.startsWith('|') ? [`${path}:${at + 1}`] : [])),
    );
    expect(long).toEqual([]);
  });

  it('has a table of contents where it is longer than two screens', () => {
    const long = readmes.filter(({ text }) => text.split('\n').length > 100);
    expect(long.length).toBeGreaterThan(5);
    const missing = long.flatMap(({ path, text }) => {
      const anchors = anchorsOf(text);
      const contents = linksOf(text.slice(0, text.indexOf('\n## ')));
      const sections = headingsOf(text).flatMap(({ level }, at) => (level === 2 ? [`#${anchors[at]}`] : []));
      return sections.filter(anchor => !contents.includes(anchor)).map(anchor => `${path}${anchor}`);
    });
    expect(missing).toEqual([]);
  });

  it('names source files that exist, of its folder or by their path', () => {
    const files = ['src', 'test'].flatMap(filesBelow);
    const named = readmes.flatMap(({ path, text }) =>
      [...proseOf(text).matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => ({ path, name })),
    );
    expect(named.length).toBeGreaterThan(50);
    const exists = (path: string, name: string): boolean =>
      files.some(
        file =>
          [`src/${name}`, name].includes(file) || (file.startsWith(`${dirname(path)}/`) && file.endsWith(`/${name}`)),
      );
    expect(named.filter(({ path, name }) => !name.startsWith('.') && !exists(path, name))).toEqual([]);
  });

  it('names npm scripts and commands that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    for (const { path, text } of readmes) {
      for (const [whole, script = '', words = ''] of text.matchAll(
        /npm run (?:-s |--silent )?([\w:]+)(?: -- ([a-z ]*))?/g,
      )) {
        expect(Object.keys(scripts), `${path}: ${whole}`).toContain(script);
        if (script !== 'cli' || words === '') continue;
        const [first, second] = words.split(' ');
        const names = commands.map(({ name }) => name);
        expect(
          [`${first} ${second}`, first].some(name => names.includes(name ?? '')),
          `${path}: ${whole}`,
        ).toBe(true);
      }
    }
  });
});

describe('the first README', () => {
  it('has about 180 lines', () => {
    expect(readme('README.md').split('\n').length).toBeLessThan(200);
  });

  it('names the files of the life of a request, and every folder of src', () => {
    const steps = rowsOf('README.md', 'Step').map(([, file]) => file?.replaceAll('`', '') ?? '');
    expect(steps.length).toBeGreaterThan(5);
    for (const file of steps) expect(statSync(join(root, 'src', file)).isFile()).toBe(true);
    const [, tree = ''] = /```\n(capability[^]*?)```/.exec(readme('README.md')) ?? [];
    const named = [...tree.matchAll(/^ {2}(\w+)\/ /gm)].map(([, name]) => name);
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter(entry => entry.isDirectory());
    expect(new Set(named)).toEqual(new Set(folders.map(({ name }) => name)));
  });

  it('says the limits that the settings have', () => {
    const rows = rowsOf('README.md', 'Limit');
    expect(rows.length).toBeGreaterThan(5);
    const said = rows.filter(([, , setting = '']) => /^`[a-z-]+`$/.test(setting));
    expect(said.length).toBeGreaterThan(4);
    const actual = said.map(([limit, , setting = '']) => {
      const found = settings.find(({ flag }) => `\`${flag}\`` === setting);
      return [limit, [found?.default, found?.unit].filter(Boolean).join(' '), setting];
    });
    expect(said).toEqual(actual);
  });
});

describe('the tables', () => {
  it('have all settings', () => {
    expect(readme('src/config/README.md')).toContain(`\n${settingsTable()}\n`);
  });

  it.each([
    ['issuers', 'src/auth/README.md', issuerSchema],
    ['clients', 'src/smart/README.md', clientSchema],
    ['users', 'src/smart/README.md', userSchema],
  ])('have all keys of %s', (_, path, schema) => {
    expect(readme(path)).toContain(`\n${keysTable(schema)}\n`);
  });

  it('list all commands and exit codes', () => {
    const path = 'src/cli/README.md';
    expect(rowsOf(path, 'Command')).toEqual(commands.map(({ name, summary }) => [`\`${name}\``, summary]));
    expect(rowsOf(path, 'Exit code')).toEqual(exitCodeMeanings.map(([code, meaning]) => [String(code), meaning]));
  });

  it('say what each finding of `verify` means', () => {
    const rows = findings.map(([finding, ...rest]) => [`\`${finding}\``, ...rest]);
    expect(rowsOf('src/store/README.md', 'Finding')).toEqual(rows);
  });

  it('list the scopes of the shipped interface', () => {
    const listed = rowsOf('src/auth/README.md', 'Type').map(([type = '', app = '', backend = '']) => [
      type,
      ...[...`${app} ${backend}`.matchAll(/`([^`]*)`/g)].map(([, scope]) => scope),
    ]);
    const declared = readdirSync(join(root, 'capability')).flatMap(file =>
      restsOf(join(root, 'capability', file)).flatMap(({ resource = [] }) =>
        resource.map(({ type, extension = [] }) => [
          type,
          ...extension.filter(({ url }) => url.endsWith('/smart-scope')).map(({ valueString }) => valueString),
        ]),
      ),
    );
    const all = (rows: readonly (readonly unknown[])[]): Set<string> =>
      new Set(rows.flatMap(([type, ...scopes]) => scopes.map(scope => `${String(type)}: ${String(scope)}`)));
    expect(all(listed)).toEqual(all(declared));
  });
});

describe('the map of tests', () => {
  it('names every file of tests, and no file that does not exist', () => {
    const [, map = ''] = readme('test/README.md').split('\n## Map\n');
    const here = filesBelow('test').map(path => path.replace('test/', ''));
    const below = (folder: string) => here.filter(path => path.startsWith(folder) && path.endsWith('.test.ts'));
    const filesOf = (path: string): readonly string[] => {
      if (path.endsWith('/')) return below(path).length === 0 ? [path] : below(path);
      return [path.endsWith('.ts') ? path : `${path}.test.ts`];
    };
    const files = [...map.matchAll(/^\| (?!Rule|-).* \| (.*) \|$/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]*)`/g)].flatMap(([, path = '']) => filesOf(path)),
    );
    expect(files.filter(path => !here.includes(path))).toEqual([]);
    expect(here.filter(path => path.endsWith('.test.ts') && !files.includes(path))).toEqual([]);
  });
});

interface Rest {
  readonly resource?: readonly { type: string; extension?: readonly { url: string; valueString?: string }[] }[];
}

/** The interfaces that the CapabilityStatements in a file declare. */
function restsOf(path: string): readonly Rest[] {
  const json = JSON.parse(readFileSync(path, 'utf8')) as { rest?: Rest[]; entry?: { resource: { rest?: Rest[] } }[] };
  return [...(json.rest ?? []), ...(json.entry ?? []).flatMap(({ resource }) => resource.rest ?? [])];
}
