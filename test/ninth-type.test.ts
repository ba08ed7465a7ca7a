import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './cli/process.ts';
import { section } from './support/readmes.ts';

// The example of src/definitions/README.md. Its commands are run by readme-commands.test.ts.

describe('a ninth type in three files', () => {
  it('is the same on the page and among the fixtures', () => {
    // A path in backticks and a colon, then the content.
    const files = section('src/definitions/README.md', 'A ninth type in three files').matchAll(
      /`(\w+\/[\w-]+\.json)`:\n\n```json\n([^]*?)```/g,
    );
    const shown = [...files];
    expect(shown).toHaveLength(3);
    for (const [, path = '', content = ''] of shown) {
      const fixture = readFileSync(join(root, 'test/fixtures/ninth-type', path), 'utf8');
      expect(JSON.parse(content)).toEqual(JSON.parse(fixture));
    }
  });
});
