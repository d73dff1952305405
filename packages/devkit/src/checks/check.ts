/** Something that must be true of the repository; there are no complaints when it is. */
export interface Check {
  name: string;
  run(): Promise<string[]>;
}
