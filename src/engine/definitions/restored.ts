import { versionOf } from '../../model/capability-statement.ts';
import { createDefinitionSets } from '../../store/server/definition-sets.ts';
import type { StoreDefinitions } from '../../store/port/definitions.ts';
import type { StoreOptions } from '../../store/port/store.ts';
import { loadStored, type UsableModel } from './compile-set.ts';

/** Which definitions a store is opened with. */
export interface ChosenDefinitions {
  readonly choose: NonNullable<StoreOptions['choose']>;
  /** The definitions in use, once the store is open. */
  readonly used: () => UsableModel;
}

/**
 * The definitions of the files, unless a rollback has replaced exactly these: then the restored set. `make` derives
 * what the store follows, `notice` receives a sentence for the operator.
 */
export function chooseDefinitions(
  loaded: UsableModel,
  make: (loaded: UsableModel) => StoreDefinitions,
  notice: (text: string) => void,
): ChosenDefinitions {
  let used = loaded;
  return {
    async choose(documents) {
      const sets = createDefinitionSets({ documents });
      const restored = await sets.restored().catch(() => undefined); // what follows reports a failing store
      if (restored?.from !== loaded.model.digest) return undefined;
      try {
        used = await loadStored(sets, restored.to);
      } catch (error) {
        notice(`The restored definitions cannot be used, but those of the files: ${String(error)}`);
        return undefined;
      }
      const [to, from] = [versionOf(restored.to), versionOf(restored.from)];
      notice(
        `The definitions are those of version ${to}, which a rollback has restored; the files still have version ` +
          `${from}. Change them, or run \`definitions reload\` to use them.`,
      );
      return make(used);
    },
    used: () => used,
  };
}
