import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { available } from '../available.ts'
import { Interpreter } from './interpreters.ts'
import type { Language } from './page.ts'

const LANGUAGES: readonly {
  readonly language: Language
  readonly isThere: boolean
  readonly blocks: readonly [sets: string, uses: string, fails: string]
}[] = [
  {
    language: 'sh',
    isThere: true,
    blocks: ['a=6', 'echo $((a * 7))', 'echo no >&2; false; echo on'],
  },
  {
    language: 'python',
    isThere: available.python,
    blocks: ['a = 6', 'print(a * 7)', 'raise SystemExit("no")'],
  },
  { language: 'r', isThere: available.rscript, blocks: ['a <- 6', 'cat(a * 7)', 'stop("no")'] },
]

for (const { language, isThere, blocks } of LANGUAGES) {
  test.skipIf(!isThere)(
    `what a block of ${language} sets is there for the next`,
    async ({ signal }) => {
      const cwd = mkdtempSync(join(tmpdir(), 'casemill-interpreter-'))
      onTestFinished(() => rmSync(cwd, { recursive: true }))
      await using interpreter = new Interpreter(language, { cwd, environment: {}, signal })
      const run = (code: string) => {
        writeFileSync(join(cwd, 'block'), code)
        return interpreter.run(join(cwd, 'block'))
      }
      const [sets, uses, fails] = blocks
      expect((await run(sets)).trim()).toBe('')
      expect((await run(uses)).trim()).toBe('42')
      await expect(run(fails)).rejects.toThrow('no')
    },
  )
}
