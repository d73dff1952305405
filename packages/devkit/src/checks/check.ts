/** A rule for the repository. `run` returns no complaints if it is met. */
export interface Check {
  name: string;
  run(): Promise<string[]>;
}
