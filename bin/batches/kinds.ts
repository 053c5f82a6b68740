import { EngineError } from '../../engine/shared/index.ts'
import { BAM } from './bam-kind.ts'
import type { Kind } from './kind.ts'
import { MPH } from './mph-kind.ts'
import { RECODE } from './recode-kind.ts'
import { REGISTRY } from './registry-kind.ts'
import { STAGE } from './stage-kind.ts'

/** Kinds of work that can be divided into shards. A new kind takes one file and one line here. */
export const KINDS: Readonly<Record<string, Kind>> = {
  bam: BAM,
  stage: STAGE,
  mph: MPH,
  recode: RECODE,
  registry: REGISTRY,
}

/**
 * Returns a kind by its name.
 * @throws EngineError `not_supported` for an unknown name
 */
export function kindNamed(name: string): Kind {
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  if (kind) return kind
  const known = Object.keys(KINDS).join(', ')
  const message = `the plan is for ${JSON.stringify(name)}, which is not one of ${known}; make a new plan`
  throw new EngineError('not_supported', message)
}
