import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  Application,
  type ParameterReflection,
  type ProjectReflection,
  ReferenceType,
  ReflectionKind,
  type TypeDocOptions,
} from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'
import ts from 'typescript'
import PACKAGE from '../../package.json' with { type: 'json' }
import { kubernetesPages } from '../kubernetes/pages.ts'
import { commandPage } from './command-page.ts'
import { settingsPage } from './settings-page.ts'
import { unexportedTypes } from './unexported.ts'

// Makes the pages of the reference that come from the program: commands, settings, and the library, which
// has a page for each door of the package, from the declarations that its users get. A type that a
// declaration names and that no door exports is an error. Makes the objects of Kubernetes, too.

const HERE = import.meta.dirname
const ROOT = join(HERE, '../..')

/** A name that the package exports. */
interface Door {
  /** Name in an import: `casemill/commons`. */
  readonly name: string
  /** Its folder: `engine/commons`. */
  readonly folder: string
}

const DOORS: readonly Door[] = Object.entries(PACKAGE.exports).map(([key, { types }]) => ({
  name: PACKAGE.name + key.slice(1),
  folder: types.replace(/^\.\/dist\/|\/index\.d\.ts$/g, ''),
}))

const COMPILER_OPTIONS = {
  target: 'es2024',
  lib: ['es2024'],
  module: 'nodenext',
  strict: true,
  types: ['node'],
  skipLibCheck: true,
  noEmit: true,
}

const LAYOUT: Partial<TypeDocOptions & PluginOptions> = {
  name: 'The library',
  readme: join(HERE, 'introduction.md'),
  mergeReadme: true,
  router: 'module',
  flattenOutputFiles: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  expandObjects: true,
  expandParameters: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  propertyMembersFormat: 'table',
  tableColumnSettings: { hideModifiers: true, leftAlignHeaders: true },
}

/** Compiles the declarations of the package into a folder; `npm run types` checks what they are made of. */
function emitDeclarations(folder: string): void {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const emitted = ['--noCheck', '--emitDeclarationOnly', '--outDir', folder]
  const words = [tsc, '-p', 'tsconfig.build.json', ...emitted]
  const { status } = spawnSync(process.execPath, words, { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) throw new Error(`tsc ended with status ${status}`)
}

/** Returns a line for each type that users are given and cannot name. */
function unexported(files: readonly string[], folder: string): string[] {
  const { options } = ts.convertCompilerOptionsFromJson(COMPILER_OPTIONS, folder)
  return unexportedTypes(files, options).map(({ type, file, by }) => {
    const source = relative(folder, file).replace(/\.d\.ts$/, '.ts')
    return `${by} names the type ${type} of ${source}; export it from the index.ts of its wing`
  })
}

async function writePages(files: string[], declarations: string, out: string): Promise<void> {
  const tsconfig = join(declarations, 'tsconfig.json')
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }))
  const options: Partial<TypeDocOptions & PluginOptions> = {
    ...LAYOUT,
    plugin: [fileURLToPath(import.meta.resolve('typedoc-plugin-markdown'))],
    entryPoints: files,
    tsconfig,
    basePath: declarations,
    outputs: [{ name: 'markdown', path: out }],
    disableSources: true,
    disableGit: true,
    excludePrivate: true,
    validation: { notExported: false, invalidLink: true },
    logLevel: 'Warn',
  }
  const app = await Application.bootstrapWithPlugins(options)
  const project = await app.convert()
  if (!project) throw new Error('the declarations cannot be read')
  nameDoors(project)
  nameParameters(project)
  app.validate(project)
  await app.generateOutputs(project)
  if (app.logger.hasWarnings() || app.logger.hasErrors()) {
    throw new Error('the reference is not as it should be; see above')
  }
}

/** Modules are called as they are imported. */
function nameDoors(project: ProjectReflection): void {
  const names = new Map(DOORS.map(({ name, folder }) => [folder, name]))
  for (const module of project.children ?? []) module.name = names.get(module.name) ?? module.name
}

/** A parameter that is taken apart has no name; it gets that of its type. */
function nameParameters(project: ProjectReflection): void {
  const parameters = project.getReflectionsByKind(ReflectionKind.Parameter)
  for (const parameter of parameters as ParameterReflection[]) {
    if (parameter.name !== '__namedParameters') continue
    const { type } = parameter
    const name = type instanceof ReferenceType ? type.name : 'Options'
    parameter.name = name.charAt(0).toLowerCase() + name.slice(1)
  }
}

const { values } = parseArgs({ options: { out: { type: 'string' } } })
const out = values.out ?? join(ROOT, 'docs/reference')
mkdirSync(out, { recursive: true })
writeFileSync(join(out, 'cli.md'), await commandPage())
writeFileSync(join(out, 'settings.md'), settingsPage())
for (const [name, text] of kubernetesPages()) {
  const path = join(out, '../kubernetes', name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
// Below the checkout, where declarations find the packages that they name.
mkdirSync(join(HERE, 'dist'), { recursive: true })
const folder = mkdtempSync(join(HERE, 'dist/declarations-'))
try {
  emitDeclarations(folder)
  const files = DOORS.map((door) => join(folder, door.folder, 'index.d.ts'))
  const missing = unexported(files, folder)
  for (const line of missing) console.error(line)
  if (missing.length > 0) process.exitCode = 1
  await writePages(files, folder, join(out, 'library'))
} finally {
  rmSync(folder, { recursive: true })
}
