import type { SourceFile } from '../../shared/input/source-file.ts'
import { CaseLinks } from './case-links.ts'
import type { Intake } from './intake.ts'
import { type ReadOptions, readSource } from './read-source.ts'
import type { Staging } from './staging.ts'

/** Reads all files in order. Only tables that need cases of other sources are read last. */
export async function readSources(
  files: readonly SourceFile[],
  into: { readonly intake: Intake; readonly staging: Staging },
  options: Omit<ReadOptions, 'cases'>,
): Promise<void> {
  const later: SourceFile[] = []
  for (const file of files) {
    options.signal?.throwIfAborted()
    if ((await readSource(file, into, options)) === 'needs cases') later.push(file)
  }
  if (later.length === 0) return
  const links = await CaseLinks.open(into.staging, later)
  for (const file of later) {
    options.signal?.throwIfAborted()
    await readSource(file, into, { ...options, cases: links.of(file) })
  }
}
