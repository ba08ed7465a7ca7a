/**
 * Reports failures of background work that is retried: the first failure, and no further one until the work has
 * succeeded.
 */
export function createBackgroundReport(fault: (error: unknown) => void = () => {}): {
  readonly worked: () => void;
  readonly failed: (error: unknown) => void;
} {
  let isTold = false;
  return {
    worked: () => {
      isTold = false;
    },
    failed(error) {
      if (!isTold) fault(error);
      isTold = true;
    },
  };
}
