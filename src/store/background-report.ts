/**
 * Tells of what fails beside the requests and is tried again: of the first failure, then of none until it has worked.
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
