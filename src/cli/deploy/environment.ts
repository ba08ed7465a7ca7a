import type { Config } from '../../config.ts';
import { settings } from '../../config/settings.ts';
import type { Setting } from '../../config/settings.ts';

/** Environment variables of the service, in the order of the settings table. */
export type Environment = Readonly<Record<string, string>>;

/** Settings of a target, by flag: used where the operator has not given others. */
export type Defaults = Readonly<Record<string, string>>;

/** The given settings that differ from the defaults of the program, over the defaults of the target. */
export function environmentOf(config: Config, defaults: Defaults): Environment {
  return Object.fromEntries(
    settings.flatMap(setting => {
      const value = given(setting, config) ?? defaults[setting.flag];
      return value === undefined ? [] : [[setting.variable, value]];
    }),
  );
}

/** The text of a setting; undefined if it has its default. */
function given({ field, read, default: usual, unit }: Setting, config: Config): string | undefined {
  const value = config[field];
  const isUsual =
    value === undefined ||
    (Array.isArray(value) && value.length === 0) ||
    (usual !== undefined && JSON.stringify(read(usual)) === JSON.stringify(value));
  if (isUsual) return undefined;
  if (unit === 'seconds') return String(Number(value) / 1_000);
  if (unit === 'days' && field !== 'auditDays') return String(Number(value) / 86_400_000);
  return [value].flat().join(',');
}

/** The value of a flag in an environment. */
export function valueIn(environment: Environment, flag: string): string {
  const setting = settings.find(one => one.flag === flag);
  return (setting && (environment[setting.variable] ?? setting.default)) ?? '';
}

/** How long a supervisor should wait for the end of the service, in seconds. */
export const stopSeconds = (environment: Environment): number =>
  Math.ceil(Number(valueIn(environment, 'shutdown-timeout'))) + 10;
