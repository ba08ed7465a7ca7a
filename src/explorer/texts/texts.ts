/** The texts of the frame, of errors, and of the start page; each room has its own `texts.ts` beside its pages. */
export interface Texts {
  readonly sectionsLabel: string;
  /** The sections of a partition (sections.ts). */
  readonly sections: Readonly<Record<'interface' | 'profiles' | 'indexes' | 'explain', string>>;
  readonly errors: { readonly missing: string; readonly refused: string; readonly failed: string };
  readonly start: {
    readonly title: string;
    readonly lead: string;
    readonly partitions: string;
  };
}
