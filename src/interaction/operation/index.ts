import type { ServedOperation } from '../../model/served.ts';
import type { Interaction } from '../interaction.ts';
import { validate } from './validate.ts';

/** Every operation that the engine can serve, by code (model/served.ts); which of them it does serve, the definitions say. */
export const operations: Readonly<Record<ServedOperation, Interaction>> = { validate };

/** Runs the operation that is asked for; dispatch lets through declared ones alone. https://hl7.org/fhir/R4/operations.html */
export const operation: Interaction = async (engine, request, partition) => {
  const run = Object.entries(operations).find(([code]) => code === request.operation)?.[1];
  if (run === undefined) throw new Error(`The operation ${request.operation} is declared without being served`);
  return run(engine, request, partition);
};
