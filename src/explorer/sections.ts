import type { ShellTexts } from './shell/texts.ts';

/** A section of a partition, in the header of every page. */
export interface Section {
  readonly name: keyof ShellTexts['sections'];
  readonly path: (partition: string) => string;
}

export const sections: readonly Section[] = [
  { name: 'interface', path: partition => `/r4/${partition}/metadata` },
  { name: 'profiles', path: partition => `/explorer/${partition}/profiles` },
  { name: 'indexes', path: partition => `/explorer/${partition}/indexes` },
  { name: 'explain', path: partition => `/explorer/${partition}/explain` },
];
