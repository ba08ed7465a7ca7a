/** The texts of the frame, of errors, and of the start page; each room has its own `texts.ts` beside its pages. */
export interface Texts {
  readonly sectionsLabel: string;
  /** The sections of a partition (sections.ts). */
  readonly sections: Readonly<Record<'interface' | 'profiles' | 'indexes' | 'explain', string>>;
  readonly errors: Readonly<Record<'missing' | 'refused' | 'failed' | 'signIn' | 'form' | 'start', string>>;
  readonly start: {
    readonly title: string;
    readonly lead: string;
    readonly partitions: string;
    readonly partition: string;
    readonly open: string;
    readonly examples: string;
    readonly examplesHint: string;
    readonly chooseWho: string;
    readonly launcher: string;
    readonly launcherHint: string;
    readonly launcherLink: string;
    readonly accounts: string;
    readonly user: string;
    readonly name: string;
    readonly password: string;
    readonly addType: string;
    readonly addTypeLead: string;
    readonly capability: string;
    readonly parameters: string;
    readonly profile: string;
    readonly addTypeMore: string;
  };
}
