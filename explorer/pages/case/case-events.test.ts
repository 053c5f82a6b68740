import { expect, test } from 'vitest'
import { eventsOf } from './case-events.ts'

test('events stand in the order of their days, those without one last', () => {
  const events = eventsOf({
    demographic: {
      days_to_birth: -20_000,
      days_to_death: 900,
      gender: 'female',
      state: 'released',
    },
    diagnoses: [
      {
        days_to_diagnosis: 0,
        primary_diagnosis: 'Adenocarcinoma',
        diagnosis_id: 'x',
        treatments: [{ days_to_treatment_start: 30, treatment_type: 'Chemotherapy' }],
      },
    ],
    samples: [{ sample_type: 'Primary Tumor' }],
  })
  expect(events).toEqual([
    { day: -20_000, what: 'Person', facts: 'Days to death: 900; Gender: female' },
    { day: 0, what: 'Diagnosis', facts: 'Primary diagnosis: Adenocarcinoma' },
    { day: 30, what: 'Treatment', facts: 'Treatment type: Chemotherapy' },
    { day: 900, what: 'Death', facts: '' },
    { day: undefined, what: 'Sample', facts: 'Sample type: Primary Tumor' },
  ])
})

test('a case of which nothing is known has no events', () => {
  expect(eventsOf({})).toEqual([])
})
