import { EngineError } from '../../shared/errors.ts'
import { type OptionalReaders, readMembers, readText } from '../../shared/input/json-members.ts'
import { requireParameter } from '../../shared/input/required-parameter.ts'
import type { Recode, RecodeVersion, SiteGroup, Texts } from './recode.ts'
import { SITE_GROUPS } from './site-groups.ts'

/**
 * Answers inputs, as JSON that was parsed, by the inputs that were given and what they are recoded to.
 * @throws EngineError bad_input naming the member, for what is no object, a member that is neither a
 * text nor null, and one that is missing or empty and must not be
 */
export type AnswerRecode = (input: unknown) => Texts

/** Makes what answers by one version of a recode. */
export function makeAnswer({ inputs, required }: Recode, version: RecodeVersion): AnswerRecode {
  const names = Object.keys(inputs)
  const readers: OptionalReaders<Texts> = Object.fromEntries(names.map((name) => [name, readText]))
  const read = readMembers<Texts>({}, readers)
  const recode = version.make()
  return (input) => {
    const texts = read(input, '')
    for (const name of required) requireParameter(texts[name] || undefined, name)
    return { ...texts, ...recode(texts) }
  }
}

/** @throws EngineError bad_input for a recode that is not in the list */
export function findRecode(recodes: readonly Recode[], id: string): Recode {
  return found(recodes, id, 'recode')
}

/** @throws EngineError bad_input for what is no algorithm of the published interface */
export function findSiteGroup(id: string): SiteGroup {
  return found(SITE_GROUPS, id, 'algorithm')
}

/**
 * A version by its name; the first without a name.
 * @throws EngineError bad_input for one that the recode does not have
 */
export function findVersion({ versions }: Recode, id: string | undefined): RecodeVersion {
  return id === undefined ? versions[0] : found(versions, id, 'version')
}

function found<T extends { readonly id: string }>(all: readonly T[], id: string, kind: string): T {
  const one = all.find((candidate) => candidate.id === id)
  if (one) return one
  const ids = all.map((candidate) => candidate.id).join(', ')
  throw new EngineError('bad_input', `there is no such ${kind}; give one of ${ids}`, { at: kind })
}
