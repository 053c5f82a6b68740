import type {
  Disease,
  GlossaryEntry,
  PrimaryComparison,
  PublishingArea,
  Rx,
  TermFinder,
} from '../../engine/registry/index.ts'
import { DISEASE, GLOSSARY, RX } from '../../engine/registry/internal.ts'
import type { KeyStore } from '../../engine/shared/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { ContentShapes } from './content-shapes.ts'
import { type AreaModule, areaOperations } from './publishing-areas.ts'
import { diseaseLookups, glossaryLookups, rxLookups } from './publishing-lookups.ts'
import { recordShapes } from './publishing-shapes.ts'

/** Only the methods, so that tests can replace them. */
type Methods<Area> = Pick<Area, keyof Area>

export interface PublishingEngine {
  readonly keys: Pick<KeyStore, 'verify'>
  readonly rx: Methods<PublishingArea<Rx>>
  readonly glossary: Methods<PublishingArea<GlossaryEntry>>
  readonly disease: Methods<PublishingArea<Disease>>
  readonly terms: Pick<TermFinder, 'find'>
  readonly primaries: Pick<PrimaryComparison, 'compare'>
}

/** Endpoints of rx, glossary and disease: those that every area has, and those of a single area. */
export function publishingEndpoints(engine: PublishingEngine): readonly Endpoint[] {
  const { keys, terms, primaries } = engine
  const contents = new ContentShapes()
  const [rx, glossary, disease] = ([RX, GLOSSARY, DISEASE] as const).map(
    (definition): AreaModule => {
      const { shape, area } = definition
      const content = contents.members(shape)
      const shapes = recordShapes(shape.name, content, contents.members(shape, 'none'))
      return { keys, definition, shapes, records: engine[area] }
    },
  ) as [AreaModule, AreaModule, AreaModule]
  return Object.freeze([
    ...[rx, glossary, disease].flatMap(areaOperations),
    ...rxLookups(rx, engine.rx),
    ...glossaryLookups(glossary, terms),
    ...diseaseLookups(disease, engine.disease, primaries),
  ])
}
