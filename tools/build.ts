import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'

// `npm run build` makes `dist/`, which the package ships: the compiled library with its declarations, the files of the
// dictionary, the compiled kernels, and the bundled explorer. Types are checked by `npm run types` alone, which takes
// three times as long.

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')
const SCHEMAS = 'engine/submission/dictionary/schemas'

/** Runs a program to its end. If it fails, this program ends with the same status. */
function run(program: string, ...words: readonly string[]): void {
  const { status, error } = spawnSync(program, words, { cwd: ROOT, stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

rmSync(DIST, { recursive: true, force: true })
run(process.execPath, 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck')
cpSync(join(ROOT, SCHEMAS), join(DIST, SCHEMAS), { recursive: true })
for (const name of ['inflate', 'rows']) {
  run(process.execPath, 'tools/kernels/compile.ts', name, join(DIST, `kernels/${name}.wasm`))
}
run(process.execPath, 'tools/explorer/bundle.ts', 'explorer', join(DIST, 'explorer'))
