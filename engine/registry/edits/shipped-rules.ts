/**
 * Edits over several items that registries of the United States generally know: order of dates, age, sex and
 * side against the site, site against histology, stage against behavior, nodes, death and treatment. The rules
 * follow the definitions of the items, because the standard setters do not publish their own edits as rules.
 */
export const SHIPPED_RULES = `edit E0010
name: Birth is not after diagnosis
require: date(dateOfBirth) <= date(dateOfDiagnosis)
message: Birth is after diagnosis. Correct the one that is wrong.

edit E0020
name: Diagnosis is not after last contact
require: date(dateOfDiagnosis) <= date(dateOfLastContact)
message: Diagnosis is after last contact. Correct the one that is wrong.

edit E0030
name: Birth is not after last contact
require: date(dateOfBirth) <= date(dateOfLastContact)
message: Birth is after last contact. Correct the one that is wrong.

edit E0040
name: Diagnosis is not in the future
require: date(dateOfDiagnosis) <= today
message: Diagnosis is in the future. Correct the date.

edit E0050
name: Last contact is not in the future
require: date(dateOfLastContact) <= today
message: Last contact is in the future. Correct the date.

edit E0060
name: Birth is not in the future
require: date(dateOfBirth) <= today
message: Birth is in the future. Correct the date.

edit E0070
name: Completion of the case is not in the future
require: date(dateCaseCompleted) <= today
message: Completion of the case is in the future. Correct the date.

edit E0080
name: First contact is not in the future
require: date(dateOf1stContact) <= today
message: First contact is in the future. Correct the date.

edit E0090
name: Birth is in or after 1850
require: year(dateOfBirth) >= 1850
message: The year of birth is before 1850. Correct the date.

edit E0100
name: First contact is not after last contact
when: typeOfReportingSource is empty or not typeOfReportingSource in (6-7)
require: date(dateOf1stContact) <= date(dateOfLastContact)
message: First contact is after last contact. Correct the one that is wrong.

edit E0110
name: Diagnosis is not after the first treatment
require: date(dateOfDiagnosis) <= date(dateInitialRxSeer)
message: Diagnosis is after the first treatment. Correct the one that is wrong.

edit E0120
name: The first treatment is not after last contact
require: date(dateInitialRxSeer) <= date(dateOfLastContact)
message: The first treatment is after last contact. Correct the one that is wrong.

edit E0130
name: The first treatment is not after surgery
require: date(dateInitialRxSeer) <= date(rxDateSurgery)
message: The first treatment is after surgery. Correct the one that is wrong.

edit E0140
name: The first treatment is not after radiation
require: date(dateInitialRxSeer) <= date(rxDateRadiation)
message: The first treatment is after radiation. Correct the one that is wrong.

edit E0150
name: The first treatment is not after chemotherapy
require: date(dateInitialRxSeer) <= date(rxDateChemo)
message: The first treatment is after chemotherapy. Correct the one that is wrong.

edit E0160
name: The first treatment is not after hormone therapy
require: date(dateInitialRxSeer) <= date(rxDateHormone)
message: The first treatment is after hormone therapy. Correct the one that is wrong.

edit E0170
name: The first treatment is not after immunotherapy
require: date(dateInitialRxSeer) <= date(rxDateBrm)
message: The first treatment is after immunotherapy. Correct the one that is wrong.

edit E0180
name: The first treatment is not after other treatment
require: date(dateInitialRxSeer) <= date(rxDateOther)
message: The first treatment is after other treatment. Correct the one that is wrong.

edit E0190
name: The first radiation is not after the last radiation
require: date(rxDateRadiation) <= date(rxDateRadiationEnded)
message: The first radiation is after the last radiation. Correct the one that is wrong.

edit E0200
name: The first surgery is not after the most definitive surgery
require: date(rxDateSurgery) <= date(rxDateMostDefinSurg)
message: The first surgery is after the most definitive surgery. Correct the one that is wrong.

edit E0210
name: The most definitive surgery is not after the discharge from it
require: date(rxDateMostDefinSurg) <= date(rxDateSurgicalDisch)
message: The most definitive surgery is after the discharge from it. Correct the one that is wrong.

edit E0220
name: Admission is not after discharge
require: date(dateOfInptAdm) <= date(dateOfInptDisch)
message: Admission is after discharge. Correct the one that is wrong.

edit E0230
name: Diagnosis is not after the conclusive diagnosis
require: date(dateOfDiagnosis) <= date(dateConclusiveDx)
message: Diagnosis is after the conclusive diagnosis. Correct the one that is wrong.

edit E0240
name: Diagnosis is not after the diagnosis of multiple tumors
require: date(dateOfDiagnosis) <= date(dateOfMultTumors)
message: Diagnosis is after the diagnosis of multiple tumors. Correct the one that is wrong.

edit E0250
name: Diagnosis is not after the first recurrence
require: date(dateOfDiagnosis) <= date(recurrenceDate1st)
message: Diagnosis is after the first recurrence. Correct the one that is wrong.

edit E0260
name: The last cancer status is not after last contact
require: date(dateOfLastCancerStatus) <= date(dateOfLastContact)
message: The last cancer status is after last contact. Correct the one that is wrong.

edit E0270
name: The biopsy of sentinel nodes is not after last contact
require: date(dateSentinelLymphNodeBiopsy) <= date(dateOfLastContact)
message: The biopsy of sentinel nodes is after last contact. Correct the one that is wrong.

edit E0280
name: Age fits birth and diagnosis
when: ageAtDiagnosis is given and not ageAtDiagnosis in (999)
require: number(ageAtDiagnosis) = age(dateOfBirth, dateOfDiagnosis)
message: The age is not the whole years from birth to diagnosis. Compute it anew, or correct a date.

edit E0290
name: Age is at most 120 years
when: ageAtDiagnosis is given and not ageAtDiagnosis in (999)
require: number(ageAtDiagnosis) <= 120
message: The age is above 120 years. Correct it, or code 999 for unknown.

edit E0300
name: No carcinoma of the prostate below 40 years
when: ageAtDiagnosis is given and not ageAtDiagnosis in (999) and overRideAgeSiteMorph is empty
  and primarySite in (C619) and histologicTypeIcdO3 in (8140-8149)
require: number(ageAtDiagnosis) >= 40
message: A carcinoma of the prostate is unlikely below 40 years. Review the case; if it is right, set overRideAgeSiteMorph.

edit E0310
name: No carcinoma of breast or cervix below 15 years
when: ageAtDiagnosis is given and not ageAtDiagnosis in (999) and overRideAgeSiteMorph is empty
  and primarySite in (C500-C509, C530-C539) and histologicTypeIcdO3 in (8010-8576)
require: number(ageAtDiagnosis) >= 15
message: This carcinoma is unlikely below 15 years. Review the case; if it is right, set overRideAgeSiteMorph.

edit E0320
name: No carcinoma of lung or colon below 15 years
when: ageAtDiagnosis is given and not ageAtDiagnosis in (999) and overRideAgeSiteMorph is empty
  and primarySite in (C180-C189, C199, C209, C340-C349)
  and histologicTypeIcdO3 in (8010-8239)
require: number(ageAtDiagnosis) >= 15
message: This carcinoma is unlikely below 15 years. Review the case; if it is right, set overRideAgeSiteMorph.

edit E0330
name: No plasma cell myeloma below 30 years
when: ageAtDiagnosis is given and not ageAtDiagnosis in (999) and overRideAgeSiteMorph is empty
  and histologicTypeIcdO3 in (9732)
require: number(ageAtDiagnosis) >= 30
message: Plasma cell myeloma is unlikely below 30 years. Review the case; if it is right, set overRideAgeSiteMorph.

edit E0340
name: No retinoblastoma from 6 years on
when: ageAtDiagnosis is given and not ageAtDiagnosis in (999) and overRideAgeSiteMorph is empty
  and histologicTypeIcdO3 in (9510-9514)
require: number(ageAtDiagnosis) <= 5
message: Retinoblastoma is unlikely from 6 years on. Review the case; if it is right, set overRideAgeSiteMorph.

edit E0350
name: No nephroblastoma from 15 years on
when: ageAtDiagnosis is given and not ageAtDiagnosis in (999) and overRideAgeSiteMorph is empty
  and histologicTypeIcdO3 in (8960)
require: number(ageAtDiagnosis) <= 14
message: Nephroblastoma is unlikely from 15 years on. Review the case; if it is right, set overRideAgeSiteMorph.

edit E0360
name: Female genital organs fit the sex
when: primarySite in (C510-C529, C530-C589)
require: not sexAssignedAtBirth in (1)
message: The site is of female genital organs, and the patient is male. Correct site or sex.

edit E0370
name: Male genital organs fit the sex
when: primarySite in (C600-C639)
require: not sexAssignedAtBirth in (2)
message: The site is of male genital organs, and the patient is female. Correct site or sex.

edit E0380
name: Seminoma fits the sex
when: histologicTypeIcdO3 in (9061-9063)
require: not sexAssignedAtBirth in (2)
message: Seminoma is of men; of women it is dysgerminoma (9060). Correct histology or sex.

edit E0390
name: Paired sites have a side
when: primarySite in (C079-C081, C090-C099, C300, C340-C349, C400-C403, C441-C443, C445-C447,
  C500-C509, C569-C570, C620-C631, C649, C659, C669, C690-C699, C740-C749, C754)
  and not histologicTypeIcdO3 in (9590-9993) and not primarySite in (C340)
require: laterality in (1-5, 9)
message: The site is one of a pair, and laterality says that it is not. Code the side, or 9.

edit E0400
name: Sites that are no pair have no side
when: primarySite in (C150-C269, C420-C424, C510-C549, C600-C619, C670-C679, C739, C809)
require: laterality = '0'
message: The site is no pair, and laterality has a side. Code 0.

edit E0410
name: An unspecified site is not in situ
when: behaviorCodeIcdO3 = '2' and overRideSiteBehavior is empty
require: not primarySite in (C260-C269, C390-C399, C420-C424, C559, C579, C639, C689, C729, C760-C768, C809)
message: A tumor in situ has a site that is known. Correct site or behavior; if they are right, set overRideSiteBehavior.

edit E0420
name: Lymphoma and leukemia are not in situ
when: histologicTypeIcdO3 in (9590-9993)
require: not behaviorCodeIcdO3 = '2'
message: Diseases of blood and lymph nodes are never in situ. Correct histology or behavior.

edit E0430
name: Benign and borderline tumors are of the brain
when: behaviorCodeIcdO3 in (0-1)
require: primarySite in (C700-C729, C751-C753)
message: Benign and borderline tumors are reportable of brain and central nervous system alone. Correct site or behavior.

edit E0440
name: Leukemia is of the marrow or the blood
when: overRideSiteType is empty and histologicTypeIcdO3 in (9801, 9805-9809, 9840, 9861-9920, 9931-9948)
require: primarySite in (C420-C421)
message: Leukemia is of the marrow (C421) or the blood (C420). Correct site or histology; if they are right, set overRideSiteType.

edit E0450
name: Plasma cell myeloma is of the marrow
when: overRideSiteType is empty and histologicTypeIcdO3 in (9732)
require: primarySite in (C421)
message: Plasma cell myeloma is of the marrow (C421). Correct site or histology; if they are right, set overRideSiteType.

edit E0460
name: Myeloproliferative diseases are of the marrow or the blood
when: overRideSiteType is empty and histologicTypeIcdO3 in (9950, 9961-9967, 9975, 9980-9992)
require: primarySite in (C420-C421)
message: Myeloproliferative and myelodysplastic diseases are of the marrow (C421) or the blood. Correct site or histology; if they are right, set overRideSiteType.

edit E0470
name: Glioma is of the central nervous system
when: overRideSiteType is empty and histologicTypeIcdO3 in (9380-9460)
require: primarySite in (C690-C729, C751-C753, C809)
message: Glioma is of the central nervous system. Correct site or histology; if they are right, set overRideSiteType.

edit E0480
name: Meningioma is of the meninges
when: overRideSiteType is empty and histologicTypeIcdO3 in (9530-9539)
require: primarySite in (C690-C729, C751-C753)
message: Meningioma is of the meninges. Correct site or histology; if they are right, set overRideSiteType.

edit E0490
name: Hepatocellular carcinoma is of the liver
when: overRideSiteType is empty and histologicTypeIcdO3 in (8170-8175)
require: primarySite in (C220-C221)
message: Hepatocellular carcinoma is of the liver. Correct site or histology; if they are right, set overRideSiteType.

edit E0500
name: Retinoblastoma is of the retina
when: overRideSiteType is empty and histologicTypeIcdO3 in (9510-9514)
require: primarySite in (C692)
message: Retinoblastoma is of the retina (C692). Correct site or histology; if they are right, set overRideSiteType.

edit E0510
name: Nephroblastoma is of the kidney
when: overRideSiteType is empty and histologicTypeIcdO3 in (8960)
require: primarySite in (C649)
message: Nephroblastoma is of the kidney (C649). Correct site or histology; if they are right, set overRideSiteType.

edit E0520
name: Clear cell carcinoma of 8312 is of the kidney
when: overRideSiteType is empty and histologicTypeIcdO3 in (8312)
require: primarySite in (C649)
message: Renal cell carcinoma (8312) is of the kidney (C649). Correct site or histology; if they are right, set overRideSiteType.

edit E0530
name: Skin carcinomas of basal and squamous cells are not reportable
when: primarySite in (C440-C449) and histologicTypeIcdO3 in (8000-8110)
require: not behaviorCodeIcdO3 = '3'
message: Basal and squamous cell carcinomas of the skin are not reportable. Remove the case, or correct site or histology.

edit E0540
name: The summary stage of a tumor in situ is 0
when: year(dateOfDiagnosis) >= 2018 and behaviorCodeIcdO3 = '2'
require: summaryStage2018 in (0)
message: The summary stage of a tumor in situ is 0. Correct stage or behavior.

edit E0550
name: The summary stage 0 is of a tumor in situ
when: year(dateOfDiagnosis) >= 2018 and summaryStage2018 = '0'
require: behaviorCodeIcdO3 = '2'
message: The summary stage 0 is of tumors in situ alone. Correct stage or behavior.

edit E0560
name: The derived summary stage of a tumor in situ is 0
when: year(dateOfDiagnosis) >= 2018 and behaviorCodeIcdO3 = '2'
require: derivedSummaryStage2018 in (0)
message: The derived summary stage of a tumor in situ is 0. Correct stage or behavior.

edit E0570
name: The derived summary stage 0 is of a tumor in situ
when: year(dateOfDiagnosis) >= 2018 and derivedSummaryStage2018 = '0'
require: behaviorCodeIcdO3 = '2'
message: The derived summary stage 0 is of tumors in situ alone. Correct stage or behavior.

edit E0580
name: Leukemia is staged as distant
when: year(dateOfDiagnosis) >= 2018 and histologicTypeIcdO3 in (9801, 9805-9809, 9840, 9861-9920, 9931-9948)
  and primarySite in (C420-C421)
require: summaryStage2018 in (7)
message: The summary stage of leukemia is 7, distant. Correct it.

edit E0590
name: An unknown site is not staged
when: year(dateOfDiagnosis) >= 2018 and primarySite in (C809) and histologicTypeIcdO3 in (8000-8700)
require: summaryStage2018 in (9)
message: The summary stage of an unknown site is 9. Correct stage or site.

edit E0600
name: No metastasis by one item and by the others
when: eodMets = '00'
require: not (metsAtDxBone = '1' or metsAtDxBrain = '1' or metsAtDxLiver = '1' or metsAtDxLung = '1'
  or metsAtDxDistantLn in (1) or metsAtDxOther in (1))
message: eodMets says that there is no metastasis, and one of metsAtDx... says that there is. Correct one of them.

edit E0610
name: No more nodes are positive than were examined
when: regionalNodesPositive in (00-90) and regionalNodesExamined in (00-90)
require: number(regionalNodesPositive) <= number(regionalNodesExamined)
message: More regional nodes are positive than were examined. Correct one of the counts.

edit E0620
name: Nodes that were not examined are coded 98
when: regionalNodesExamined = '00'
require: regionalNodesPositive = '98'
message: No node was examined, and regionalNodesPositive is not 98. Correct one of them.

edit E0630
name: Nodes coded 98 were not examined
when: regionalNodesPositive = '98'
require: regionalNodesExamined = '00'
message: regionalNodesPositive says that no node was examined, and regionalNodesExamined is not 00. Correct one of them.

edit E0640
name: No more sentinel nodes are positive than were examined
when: sentinelLymphNodesPositive in (00-90) and sentinelLymphNodesExamined in (00-90)
require: number(sentinelLymphNodesPositive) <= number(sentinelLymphNodesExamined)
message: More sentinel nodes are positive than were examined. Correct one of the counts.

edit E0650
name: Who is alive has no cause of death
when: vitalStatus = '1'
require: causeOfDeath is empty or causeOfDeath = '0000'
message: The patient is alive and has a cause of death. Correct one of them.

edit E0660
name: Who is dead has not the cause for alive
when: vitalStatus = '0'
require: not causeOfDeath = '0000'
message: The patient is dead, and the cause of death is that of patients who are alive. Code the cause, or 7777.

edit E0670
name: Who is alive has the revision 0
when: vitalStatus = '1' and icdRevisionNumber is given
require: icdRevisionNumber = '0'
message: The patient is alive, and the revision of the cause of death is not 0. Correct one of them.

edit E0680
name: A cause of revision 10 begins by a letter
when: icdRevisionNumber = '1' and not causeOfDeath in (0000, 7777, 7797)
require: causeOfDeath in (A00-Z99, A000-Z999)
message: By the tenth revision a cause of death is such as C509. Correct cause or revision.

edit E0690
name: Who has a place of death is dead
when: placeOfDeathState is given
require: vitalStatus = '0'
message: There is a state of death, and the patient is alive. Correct one of them.

edit E0700
name: Who is known by a death certificate or autopsy alone is dead
when: typeOfReportingSource in (6-7)
require: vitalStatus = '0'
message: The only source is a death certificate or an autopsy, and the patient is alive. Correct one of them.

edit E0710
name: A case of a death certificate is diagnosed at death
when: typeOfReportingSource = '7'
require: date(dateOfDiagnosis) = date(dateOfLastContact)
message: Of a case that only a death certificate tells of, the date of diagnosis is that of death. Correct one of the dates.

edit E0720
name: Confirmation 3 is of diseases of the blood
when: diagnosticConfirmation = '3'
require: histologicTypeIcdO3 in (9590-9993)
message: Histology with immunophenotyping (3) is of diseases of blood and lymph nodes alone. Code 1.

edit E0730
name: Who had surgery has no reason against it
when: rxSummSurgPrimSite in (10-90)
require: reasonForNoSurgery = '0'
message: There was surgery of the primary site, and a reason why there was none. Correct one of them.

edit E0740
name: Who had no surgery has a reason
when: rxSummSurgPrimSite = '00' and (typeOfReportingSource is empty or not typeOfReportingSource in (6-7))
require: not reasonForNoSurgery = '0'
message: There was no surgery of the primary site, and reasonForNoSurgery says that there was. Correct one of them.

edit E0750
name: Who had no chemotherapy has no date of it
when: rxSummChemo in (00, 82-87)
require: rxDateChemo is empty
message: There was no chemotherapy, and there is a date of it. Correct one of them.

edit E0760
name: Who had no hormone therapy has no date of it
when: rxSummHormone in (00, 82-87)
require: rxDateHormone is empty
message: There was no hormone therapy, and there is a date of it. Correct one of them.

edit E0770
name: Who had no immunotherapy has no date of it
when: rxSummBrm in (00, 82-87)
require: rxDateBrm is empty
message: There was no immunotherapy, and there is a date of it. Correct one of them.

edit E0780
name: Race 1 is a race
require: not race1 = '88'
message: 88, no further race, is not of race1. Code the race, or 99.

edit E0790
name: Of an unknown race all are unknown
when: race1 = '99' and race2 is given
require: race2 = '99'
message: race1 is unknown, and race2 is not. Correct one of them.

edit E0800
name: Behind the last race there is none
when: race2 = '88'
require: (race3 is empty or race3 = '88') and (race4 is empty or race4 = '88')
  and (race5 is empty or race5 = '88')
message: race2 says that there is no further race, and there is one. Correct one of them.

edit E0810
name: No race is there twice
when: race2 is given and not race2 in (88, 99)
require: race1 != race2
message: race1 and race2 are the same. Code 88 as race2.
`
