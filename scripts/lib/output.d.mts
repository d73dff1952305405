export function createOutput(
  logLevel: string,
  write?: (line: string) => void,
): (name: string, line: string) => void;
