/** The text of a problem: what happened, and what to do. */
export interface ProblemText {
  readonly title: string;
  readonly todo: string;
}

/** Whose records a scope covers. */
export type Whose = 'patient' | 'user' | 'system';

/** Every text of the pages. Functions insert values; their arguments and results are plain text, not HTML. */
export interface Texts {
  /** Precedes the title of a page with errors. */
  readonly titleError: string;
  readonly errorSummary: string;
  readonly signIn: {
    readonly title: string;
    readonly toApp: (app: string) => string;
    readonly toLauncher: string;
    readonly user: string;
    readonly password: string;
    readonly submit: string;
    readonly cancel: string;
    readonly noUser: string;
    readonly noPassword: string;
    /** The same for every reason, so that it does not reveal which accounts exist. */
    readonly wrong: string;
    readonly throttled: (wait: string) => string;
    readonly notHere: string;
    readonly help: string;
  };
  readonly patient: {
    readonly title: string;
    readonly forApp: (app: string) => string;
    readonly search: string;
    readonly hint: string;
    readonly submit: string;
    readonly results: string;
    readonly choose: string;
    readonly born: string;
    readonly noBirthDate: string;
    readonly noName: string;
    readonly number: string;
    readonly genders: Readonly<Record<'male' | 'female' | 'other' | 'unknown', string>>;
    readonly none: string;
    readonly found: (count: number) => string;
    readonly more: (shown: number) => string;
    readonly searching: string;
    readonly failed: string;
    readonly tooCostly: string;
    readonly tooShort: string;
    readonly noChoice: string;
  };
  readonly consent: {
    readonly title: (app: string) => string;
    readonly asks: (app: string) => string;
    readonly app: string;
    readonly returnsTo: (host: string) => string;
    readonly patient: string;
    readonly ofLaunch: string;
    readonly another: string;
    readonly you: string;
    readonly notYou: string;
    readonly records: string;
    readonly howLong: string;
    readonly lasts: (time: string) => string;
    /** Shown if a longer access can be allowed below. */
    readonly lastsAtLeast: (time: string) => string;
    readonly may: string;
    readonly untick: string;
    readonly identity: string;
    readonly know: string;
    /** Heading of the permissions that are not about records. */
    readonly others: string;
    readonly offline: (longest: string) => string;
    readonly offlineIdle: (idle: string) => string;
    readonly online: string;
    readonly verbs: Readonly<Record<'see' | 'add' | 'change' | 'remove', string>>;
    readonly list: (of: readonly string[]) => string;
    /** The permitted actions, as a heading above the kinds of records. */
    readonly act: (verbs: string, whose: Whose) => string;
    /** Records of more types than a list can name. */
    readonly kinds: (count: number) => string;
    readonly narrowed: (criteria: string) => string;
    readonly other: (scope: string) => string;
    readonly allow: string;
    readonly deny: string;
    readonly nothing: string;
  };
  readonly onward: { readonly title: string; readonly toApp: (app: string) => string; readonly link: string };
  readonly signOut: {
    readonly title: string;
    readonly who: (name: string) => string;
    readonly here: string;
    readonly everywhere: string;
    readonly everywhereHint: string;
    readonly done: string;
    readonly doneTodo: string;
    readonly again: string;
  };
  readonly launcher: {
    readonly title: string;
    readonly intro: string;
    readonly partition: string;
    readonly app: string;
    readonly opensAt: string;
    readonly next: string;
    readonly noApps: string;
    readonly noAppsTodo: string;
    readonly noApp: string;
    readonly patientTitle: (app: string) => string;
    readonly banner: string;
    readonly start: (app: string) => string;
    readonly own: string;
    readonly otherApp: string;
  };
  readonly time: (seconds: number) => string;
  readonly problems: {
    readonly notFound: ProblemText;
    readonly wrongMethod: ProblemText;
    readonly tooLarge: ProblemText;
    readonly notAForm: ProblemText;
    readonly notComplete: ProblemText;
    readonly stale: ProblemText;
    readonly over: ProblemText;
    readonly noPatientAccess: ProblemText;
    readonly patientGone: ProblemText;
    readonly tooMany: ProblemText;
    readonly unavailable: ProblemText;
    readonly fault: ProblemText;
    readonly badRequest: ProblemText;
    readonly unknownApp: ProblemText;
    readonly wrongReturn: ProblemText;
  };
  readonly problem: {
    readonly back: string;
    readonly details: string;
    readonly code: string;
    readonly request: string;
  };
}
