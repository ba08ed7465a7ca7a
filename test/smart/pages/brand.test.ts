import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namePartition } from '../../../src/store/server/documents.ts';
import { readBrand } from '../../../src/pages/brand.ts';
import { openClinic } from './support/clinic.ts';
import type { Clinic } from './support/clinic.ts';
import { Visitor, plain } from './support/visitor.ts';

const svg =
  '<?xml version="1.0"?>\n<!-- ours -->\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 ' +
  '9"><path d="M0 0h9v9z"/></svg>';

let folder: string;
let clinic: Clinic;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'brand-'));
  await writeFile(join(folder, 'logo.svg'), svg);
  clinic = await openClinic({}, ['--product-name', 'Riverside & Co', '--logo', join(folder, 'logo.svg')]);
});
afterAll(async () => {
  await clinic.close();
  await rm(folder, { recursive: true });
});

describe('pages', () => {
  it.each(['/auth/sign-in', '/auth/interaction/none', '/auth/authorize?client_id=none'])(
    'have the name and the logo of the settings: %s',
    async path => {
      const { html, title } = await new Visitor(clinic).get(`${clinic.url}${path}`);
      expect(title).toMatch(/ – Riverside & Co$/);
      const [, src = ''] = /<p class="brand">\s*<img src="([^"]+)"/.exec(html) ?? [];
      expect(src).toMatch(/^\/auth\/assets\/logo\?v=[0-9a-f]{12}$/);
      const logo = await fetch(`${clinic.url}${src}`);
      expect([logo.status, logo.headers.get('content-type'), await logo.text()]).toEqual([200, 'image/svg+xml', svg]);
      expect(logo.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(html).toContain(`<link rel="icon" href="${src}" type="image/svg+xml" />`);
    },
  );

  it('show the display name of the partition, at once when it changes', async () => {
    const visitor = new Visitor(clinic);
    const choose = await visitor.signIn(await visitor.get(clinic.authorizeUrl()), 'dr');
    const consent = await visitor.submit(choose, { do: 'choose', patient: 'p2' }, 1);
    expect(plain(consent.html)).toMatch(/Records system\s+demo\s/);
    await namePartition(clinic.running.engine.store, 'demo', 'Riverside Family Health');
    const again = await visitor.get(consent.url);
    expect(plain(again.html)).toMatch(/Records system\s+Riverside Family Health\s/);
  });

  it('say so where no app was chosen in the launcher', async () => {
    const visitor = new Visitor(clinic);
    const apps = await visitor.signIn(await visitor.get(`${clinic.url}/auth/sign-in`), 'dr');
    expect(apps.status).toBe(200);
    expect(apps.html).not.toContain('role="alert"');
    const none = await visitor.get(`${clinic.url}/auth/launcher?next=1`);
    expect([none.status, none.title]).toEqual([422, 'Error: Open an app – Riverside & Co']);
    expect(plain(none.html)).toContain('Choose one of the apps.');
  });
});

describe('a logo', () => {
  const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(9)]);
  it.each([
    ['an SVG', Buffer.from(svg), 'image/svg+xml'],
    ['an SVG without a declaration', Buffer.from('<svg></svg>'), 'image/svg+xml'],
    ['a PNG', png, 'image/png'],
  ])('may be %s', async (_, bytes, type) => {
    await writeFile(join(folder, 'some'), bytes);
    expect(readBrand({ productName: undefined, logo: join(folder, 'some') }).logo?.type).toBe(type);
  });

  it.each([
    ['a page', Buffer.from('<html><svg></svg></html>')],
    ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
    ['nothing', Buffer.alloc(0)],
    ['too large', Buffer.concat([png, Buffer.alloc(1_000_000)])],
  ])('cannot be %s', async (_, bytes) => {
    await writeFile(join(folder, 'some'), bytes);
    const read = () => readBrand({ productName: undefined, logo: join(folder, 'some') });
    expect(read).toThrow('is not an SVG or PNG image of up to 1 MB; name another one with `--logo`.');
  });

  it('that does not exist stops the start with its name', async () => {
    await expect(openClinic({}, ['--logo', join(folder, 'none.svg')])).rejects.toThrow(
      `\`logo\` cannot be used: there is no \`${join(folder, 'none.svg')}\`.`,
    );
  });
});
