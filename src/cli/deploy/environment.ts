import type { Arguments } from '../../config/read.ts';
import { settings } from '../../config/settings.ts';

/** The settings of the operator, by flag, as they were written: `auto` is that of the machine of the service. */
export type Settings = Arguments['texts'];

/** Environment variables of the service, in the order of the settings table. */
export type Environment = Readonly<Record<string, string>>;

/** Settings of a target, by flag: used where the operator has not given others. */
export type Defaults = Readonly<Record<string, string>>;

/** The given settings that differ from the defaults of the program, over the defaults of the target. */
export function environmentOf(given: Settings, defaults: Defaults): Environment {
  return Object.fromEntries(
    settings.flatMap(({ flag, variable, default: usual }) => {
      const text = given.get(flag)?.join(',');
      const value = text === undefined || text === usual ? defaults[flag] : text;
      return value === undefined ? [] : [[variable, value]];
    }),
  );
}

/** The value of a flag in an environment. */
export function valueIn(environment: Environment, flag: string): string {
  const setting = settings.find(one => one.flag === flag);
  return (setting && (environment[setting.variable] ?? setting.default)) ?? '';
}

/** How long a supervisor should wait for the end of the service, in seconds. */
export const stopSeconds = (environment: Environment): number =>
  Math.ceil(Number(valueIn(environment, 'shutdown-timeout'))) + 10;
