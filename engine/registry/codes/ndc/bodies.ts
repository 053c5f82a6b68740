import { readFlag, readMembers, readText } from '../../../shared/input/json-members.ts'
import { readCategories } from '../categories.ts'
import type { RegistryPart } from './product.ts'

type GivenPart = Omit<RegistryPart, 'date_modified'>

const readBody = readMembers<{ readonly seer?: GivenPart }>(
  {},
  {
    seer: readMembers<GivenPart>(
      {},
      {
        seer_rx_id: readText,
        categories: readCategories,
        subcategory: readText,
        major_drug_class: readText,
        minor_drug_class: readText,
        orphan_drug: readFlag,
        exclusive_oncologic_agent: readFlag,
      },
    ),
  },
)

/**
 * Reads the registry's part of a product, or undefined if there is none. The other members belong to the
 * publisher and are ignored (registry.md 2.3).
 * @throws EngineError `bad_input`, naming the member
 */
export function parseRegistryPart(body: unknown): GivenPart | undefined {
  const { seer } = readBody(body, '')
  return seer && Object.keys(seer).length > 0 ? seer : undefined
}
