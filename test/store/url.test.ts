import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/config/read.ts';
import { hideCredentials, parseStoreUrl } from '../../src/store/url.ts';

describe('the URL of a store', () => {
  it.each([
    ['sqlite:./data/records.sqlite', { kind: 'sqlite', file: './data/records.sqlite' }],
    ['mongodb://localhost', { kind: 'mongodb', database: 'clinical-records' }],
    ['mongodb://127.0.0.1:57017/?directConnection=true', { kind: 'mongodb', database: 'clinical-records' }],
    ['mongodb://a:1,b:2,[::1]:3/clinic?replicaSet=rs0&w=majority', { kind: 'mongodb', database: 'clinic' }],
    ['mongodb://user:p%40ss@host/clinic?tls=true', { kind: 'mongodb', database: 'clinic' }],
    ['mongodb+srv://user@cluster.example/clinic%2D1', { kind: 'mongodb', database: 'clinic-1' }],
  ])('%s', (url, parsed) => {
    expect(parseStoreUrl(url)).toEqual(parsed);
    expect(readConfig(['--store', url]).store).toBe(url);
  });

  it.each([
    ['no store', 'postgres://host/clinic'],
    ['no path', 'sqlite:'],
    ['no file', 'sqlite::memory:'],
    ['no host', 'mongodb:///clinic'],
    ['a slash too few', 'mongodb:/user:hush@host/clinic'],
    ['an @ that is not escaped', 'mongodb://user:hush@me@host/clinic'],
    ['a slash that is not escaped', 'mongodb://user:hush/me@host/clinic'],
    ['a percent that is not escaped', 'mongodb://user:hush%@host/clinic'],
    ['a space', 'mongodb://user:hush me@host/clinic'],
    ['two databases', 'mongodb://user:hush@host/clinic/other'],
    ['a typing error', 'mongdb://user:hush@host/clinic'],
  ])('with %s is refused, without the password in the message', (_, url) => {
    expect(parseStoreUrl(url)).toBeUndefined();
    for (const args of [[['--store', url]], [[], { CRS_STORE: url }]] as [string[], Record<string, string>?][]) {
      const error = thrownBy(() => readConfig(...args));
      expect(error.problems).toHaveLength(1);
      expect(error.message).not.toContain('hush');
    }
  });
});

describe('hideCredentials', () => {
  it.each([
    ['`mongodb://user:hush@host/clinic` is not a flag.', '`mongodb://…@host/clinic` is not a flag.'],
    ['to mongodb+srv://u:h@a/b?tlsCertificateKeyFilePassword=hush failed', 'to mongodb+srv://…@a/b?… failed'],
    ['mongodb:/user:hush@host', 'mongodb:/…@host'],
    ['mongdb://user:hush/me@you@host', 'mongdb://…@host'],
    ['The store `sqlite:./a@b.sqlite` is open.', 'The store `sqlite:./a@b.sqlite` is open.'],
    ['There is no file `x`.', 'There is no file `x`.'],
  ])('%s', (text, shown) => {
    expect(hideCredentials(text)).toBe(shown);
  });
});

function thrownBy(call: () => unknown): ConfigError {
  try {
    call();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}
