import { expect, test } from 'vitest';
import { projectOf } from './project-files.ts';
import { typeGroups } from './type-groups.ts';

test('workspaces with equal compiler options are checked together, others separately', () => {
  const config = (compilerOptions: object | undefined, include: string[], exclude?: string[]) =>
    JSON.stringify({ extends: '../../tsconfig.base.json', compilerOptions, include, exclude });
  const project = projectOf({
    'package.json': '{}',
    'tsconfig.json': config({ lib: ['dom'] }, ['scripts']),
    'apps/cli/package.json': '{}',
    'apps/cli/tsconfig.json': config(undefined, ['src']),
    'apps/web/package.json': '{}',
    'apps/web/tsconfig.json': config({ lib: ['dom'] }, ['app', '*.ts'], ['.next']),
    'packages/db/package.json': '{}',
    'packages/db/tsconfig.json': config({}, ['src', 'test']),
    'packages/assets/package.json': '{}',
  });
  expect(typeGroups(project)).toEqual([
    {
      dirs: ['', 'apps/web'],
      compilerOptions: { lib: ['dom'] },
      include: ['scripts', 'apps/web/app', 'apps/web/*.ts'],
      exclude: ['apps/web/.next'],
    },
    {
      dirs: ['apps/cli', 'packages/db'],
      compilerOptions: {},
      include: ['apps/cli/src', 'packages/db/src', 'packages/db/test'],
      exclude: [],
    },
  ]);
});
