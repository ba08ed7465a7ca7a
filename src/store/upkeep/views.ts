/**
 * The definitions that an open store has had. A server that changes them has a core for each, since requests end with
 * those they began with; all of these cores have the same object.
 */
export interface Views<Core> {
  /** The core of the latest definitions, which writes follow; undefined: there is one core only. */
  latest: Core | undefined;
  /** A change of the definitions that is in progress: until it ends, the store may have them and `latest` not. */
  changing: Promise<unknown> | undefined;
}

interface Viewed<Core> {
  readonly views: Views<Core>;
}

/** The core whose definitions writes follow. */
export const latestOf = <Core extends Viewed<Core>>(core: Core): Core => core.views.latest ?? core;

/** The latest one, once a change of this process itself is done. */
export async function latestAfterChange<Core extends Viewed<Core>>(core: Core): Promise<Core> {
  await core.views.changing?.catch(() => undefined); // its caller gets the error
  return latestOf(core);
}

/** Makes a core the latest one when its definitions are announced. */
export async function changeTo<Core extends Viewed<Core>>(core: Core, announce: () => Promise<void>): Promise<void> {
  const { views } = core;
  const change = async (): Promise<void> => {
    await announce();
    views.latest = core;
  };
  const changing = change();
  views.changing = changing;
  try {
    await changing;
  } finally {
    if (views.changing === changing) views.changing = undefined;
  }
}
