import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { didYouMean } from '../fhir/suggest.ts';
import { parseStoreUrl } from '../store/url.ts';

export function some(text: string): string {
  if (text === '') throw new Error('is empty.');
  return text;
}

export function truth(text: string): boolean {
  if (/^(true|1|yes|on)$/i.test(text)) return true;
  if (/^(false|0|no|off)$/i.test(text)) return false;
  throw new Error(`is \`${text}\`, which is neither true nor false.`);
}

/** A whole number between two bounds, for settings and for the flags of commands. */
export function integer(low: number, high: number): (text: string) => number {
  return text => {
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= low && value <= high) return value;
    throw new Error(`is \`${text}\`, but must be a whole number from ${low} to ${high}.`);
  };
}

/** Most processes of a server: more than any machine has processors for it. */
const mostProcesses = 256;

/**
 * A number of processes; `auto` is the number of processors that this process may use, by its affinity and by the CPU
 * quota of its control group (container), rounded down.
 * https://docs.libuv.org/en/v1.x/misc.html#c.uv_available_parallelism
 */
export function processCount(text: string): number {
  if (text === 'auto') return Math.min(mostProcesses, availableParallelism());
  const value = Number(text);
  if (/^\d{1,3}$/.test(text) && value >= 1 && value <= mostProcesses) return value;
  throw new Error(`is \`${text}\`, but must be \`auto\` or a whole number from 1 to ${mostProcesses}.`);
}

/** One of a few words. */
export function choice<const W extends readonly string[]>(...words: W): (text: string) => W[number] {
  return text => {
    const word: W[number] | undefined = words.find(one => one === text);
    if (word !== undefined) return word;
    throw new Error(`is \`${text}\`, but must be one of ${words.join(', ')}.${didYouMean(text, words)}`);
  };
}

export function seconds(text: string): number {
  const value = Number(text);
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text) && value > 0 && value <= 86_400) return value * 1000;
  throw new Error(`is \`${text}\`, but must be a number of seconds above 0 and up to 86400.`);
}

/** Days, as milliseconds. */
export function days(text: string): number {
  const value = Number(text);
  if (/^\d{1,4}(\.\d{1,6})?$/.test(text) && value > 0 && value <= 3_650) return value * 86_400_000;
  throw new Error(`is \`${text}\`, but must be a number of days above 0 and up to 3650.`);
}

/** An address or a name to listen on. */
export function host(text: string): string {
  if (isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text)) return text;
  throw new Error(`is \`${text}\`, which is neither an IP address nor the name of a host.`);
}

/** True for an address that only this machine can connect to. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** The URL of a store. The error never quotes a URL that may contain a password. */
export function storeUrl(text: string): string {
  if (parseStoreUrl(text) !== undefined) return text;
  if (/^mongodb/i.test(text) || text.includes('@')) {
    throw new Error(
      'is not the URL of a MongoDB store, such as `mongodb://user:password@host:27017/records`; in ' +
        'names and passwords the characters `:/?#[]@%` are written as percent and two hex digits.',
    );
  }
  throw new Error(
    `is \`${text}\`, but must be \`sqlite:\` and the path of a file, such as ` +
      '`sqlite:./data/records.sqlite`, or `mongodb://host:27017/records`.',
  );
}

export function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url !== undefined && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (plain && /^https?:\/\//.test(text)) return text.replace(/\/+$/, '');
  throw new Error(
    `is \`${text}\`, but must be an absolute http or https URL without query, such as \`https://ehr.example\`.`,
  );
}

/** The URL of a server that receives codes: https, so that they stay confidential, or http on this machine. */
export function terminologyUrl(text: string): string {
  const url = httpUrl(text);
  if (url.startsWith('https:') || isLoopbackUrl(url)) return url;
  throw new Error(`is \`${text}\`, but must be an https URL; http is accepted for this machine only.`);
}

/**
 * Web origins, separated by commas or spaces: https, or http of this machine.
 * https://www.rfc-editor.org/rfc/rfc6454#section-7
 */
export function origins(text: string): string[] {
  return text.split(/[\s,]+/).map(item => {
    const url = URL.canParse(item) ? new URL(item) : undefined;
    if (url?.origin === item && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackUrl(item))))
      return item;
    throw new Error(`holds \`${item}\`, which is not the origin of a site, such as \`https://ehr.example\`.`);
  });
}

/** True for a URL that only this machine can open. */
export const isLoopbackUrl = (url: string): boolean => isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));

export function addresses(text: string): string[] {
  return text.split(',').map(item => {
    const [address = '', bits, ...rest] = item.trim().split('/');
    const most = isIP(address) === 4 ? 32 : 128;
    const wellFormed = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
    if (isIP(address) !== 0 && wellFormed && rest.length === 0) return item.trim();
    throw new Error(`holds \`${item}\`, which is neither an IP address nor a CIDR block such as \`10.0.0.0/8\`.`);
  });
}

export function partitionId(text: string): string {
  if (/^[a-z0-9-]{1,32}$/.test(text)) return text;
  throw new Error(`is \`${text}\`, but a partition id is 1 to 32 of the characters a to z, 0 to 9 and hyphen.`);
}

export function zone(text: string): string {
  if (text === 'UTC') return text; // the tables of all zones take 20 ms to read
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone && text;
  } catch {
    throw new Error(`is \`${text}\`, which is not the name of a time zone, such as \`America/Toronto\`.`);
  }
}

/** The name that users see. */
export function displayName(text: string): string {
  if (/^[^\p{C}]{1,100}$/u.test(text) && text.trim() === text) return text;
  throw new Error('must be 1 to 100 printable characters, without leading and trailing spaces.');
}
