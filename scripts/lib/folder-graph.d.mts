export interface SourceFile {
  path: string;
  text: string;
}
export interface FolderImport {
  from: string;
  to: string;
  path: string;
  target: string;
}
export function isProductCode(path: string): boolean;
export function importsOf(file: SourceFile, aliases?: Record<string, string>): string[];
export function folderOf(root: string, path: string): string | null;
export function folderImports(
  root: string,
  files: readonly SourceFile[],
  aliases?: Record<string, string>,
): FolderImport[];
export function importsOutside(
  root: string,
  folders: readonly string[],
  files: readonly SourceFile[],
  aliases?: Record<string, string>,
): Pick<FolderImport, 'path' | 'target'>[];
export function cyclesOf(imports: readonly Pick<FolderImport, 'from' | 'to'>[]): string[][];
