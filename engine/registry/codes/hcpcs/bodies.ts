import { EngineError } from '../../../shared/errors.ts'
import { isDay } from '../../../shared/input/day.ts'
import {
  type Reader,
  readFlag,
  readList,
  readMembers,
  readText,
} from '../../../shared/input/json-members.ts'
import { readCategories } from '../categories.ts'
import type { ProcedureContent } from './procedure.ts'

type Body = ProcedureContent & { readonly hcpcs_code?: string }

const readYear: Reader<string> = (value, at) => {
  const text = readText(value, at)
  if (/^\d{4}$/.test(text)) return text
  throw new EngineError('bad_input', `"${at}" is no year; give YYYY`, { at })
}

const readDay: Reader<string> = (value, at) => {
  const text = readText(value, at)
  if (isDay(text)) return text
  throw new EngineError('bad_input', `"${at}" is no day; give YYYY-MM-DD`, { at })
}

/** Lists the members in the order in which the content has them. */
const readBody = readMembers<Body>(
  {},
  {
    hcpcs_code: readText,
    generic_name: readText,
    description: readText,
    brand_names: readList(readText),
    strength: readText,
    fda_approval_year: readYear,
    fda_discontinuation_year: readYear,
    cms_approval_date: readDay,
    cms_discontinuation_date: readDay,
    categories: readCategories,
    major_drug_class: readText,
    minor_drug_class: readText,
    oral: readFlag,
  },
)

interface GivenProcedure {
  readonly code: string
  readonly content: ProcedureContent
}

const NEW_CODE = /^[A-Z0-9]{5}$/

/**
 * Reads a new procedure from a request body.
 * @throws EngineError `bad_input`, naming the member
 */
export function parseNewProcedure(body: unknown): GivenProcedure {
  const { hcpcs_code: code = '', ...content } = readBody(body, '')
  if (NEW_CODE.test(code)) return { code, content }
  const message = '"hcpcs_code" is no code; give five capital letters or digits'
  throw new EngineError('bad_input', message, { at: 'hcpcs_code' })
}

/**
 * Reads the content to store for the procedure that the path names.
 * @throws EngineError `bad_input`, naming the member, also if the body has a different code than the path
 */
export function parseProcedure(body: unknown, code: string): ProcedureContent {
  const { hcpcs_code: given = code, ...content } = readBody(body, '')
  if (given === code) return content
  const message = `"hcpcs_code" must be "${code.slice(0, 40)}", as in the path`
  throw new EngineError('bad_input', message, { at: 'hcpcs_code' })
}
