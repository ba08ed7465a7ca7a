import type { ImplementedOperation } from '../../model/implemented-operation.ts';
import type { Interaction } from '../interaction.ts';

/** One operation: the properties that its OperationDefinition does not have, and the interaction that answers it. */
export interface OperationImplementation extends ImplementedOperation {
  readonly run: Interaction;
}
