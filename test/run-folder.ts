import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

// Gives a run a folder for what several test files need and would each make anew.

declare module 'vitest' {
  export interface ProvidedContext {
    /** It goes when the run ends. */
    runFolder: string
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-run-'))
  project.provide('runFolder', folder)
  return () => rm(folder, { recursive: true, force: true })
}
