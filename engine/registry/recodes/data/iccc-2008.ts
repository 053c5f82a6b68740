/**
 * International Classification of Childhood Cancer, third edition, WHO 2008
 * (seer.cancer.gov/iccc/iccc-who2008.html). Columns: group and extended group, name, sites, histologies,
 * behaviors. The first matching row applies (readTable in table-text.ts).
 */
export const ICCC_2008 = `
011/001 | Precursor cell leukemias | C000-C809 | 9835 9836 | 3
011/001 | Precursor cell leukemias | C420 C421 C424 | 9811-9818 9837 | 3
011/002 | Mature B-cell leukemias | C000-C809 | 9826 9832 9833 9940 | 3
011/002 | Mature B-cell leukemias | C420 C421 C424 | 9823 | 3
011/003 | Mature T-cell and NK cell leukemias | C000-C809 | 9831 9834 9948 | 3
011/003 | Mature T-cell and NK cell leukemias | C420 C421 C424 | 9827 | 3
011/004 | Lymphoid leukemia, NOS | C000-C809 | 9820 | 3
012/005 | Acute myeloid leukemias | C000-C809 | 9840 9861 9865-9867 9869-9874 9891 9895-9898 9910
  9911 9920 9931 | 3
013/006 | Chronic myeloproliferative diseases | C000-C809 | 9863 9875 9876 9950 9960-9964 | 3
014/007 | Myelodysplastic syndrome and other myeloproliferative diseases | C000-C809 | 9945 9946
  9975 9980 9982-9987 9989 9991 9992 | 3
015/008 | Unspecified and other specified leukemias | C000-C809 | 9800 9801 9805-9809 9860 9930
  9965-9967 9971 | 3
021/009 | Hodgkin lymphomas | C000-C809 | 9650-9655 9659 9661-9665 9667 | 3
022/010 | Precursor cell lymphomas | C000-C809 | 9727-9729 | 3
022/010 | Precursor cell lymphomas | C000-C419 C422-C423 C425-C809 | 9811-9818 9837 | 3
022/011 | Mature B-cell lymphomas (except Burkitt lymphoma) | C000-C809 | 9597 9670 9671 9673 9675
  9678-9680 9684 9688-9691 9695 9698 9699 9712 9731-9735 9737 9738 9761 9762 9764-9766 9769 9970 | 3
022/011 | Mature B-cell lymphomas (except Burkitt lymphoma) | C000-C419 C422-C423 C425-C809 | 9823 |
  3
022/012 | Mature T-cell and NK-cell lymphomas | C000-C809 | 9700-9702 9705 9708 9709 9714 9716-9719
  9724-9726 9767 9768 | 3
022/012 | Mature T-cell and NK-cell lymphomas | C000-C419 C422-C423 C425-C809 | 9827 | 3
022/013 | Non-Hodgkin lymphomas,NOS | C000-C809 | 9591 9760 | 3
023/014 | Burkitt lymphoma | C000-C809 | 9687 | 3
024/015 | Miscellaneous lymphoreticular neoplasms | C000-C809 | 9740-9742 9750-9759 | 3
025/016 | Unspecified lymphomas | C000-C809 | 9590 9596 | 3
031/017 | Ependymomas | C000-C809 | 9383 9391-9394 | 0 1 3
031/018 | Choroid plexus tumor | C000-C809 | 9390 | 0 1 3
032/019 | Astrocytomas | C723 | 9380 | 0 1 3
032/019 | Astrocytomas | C000-C809 | 9384 9400-9411 9420-9424 9440-9442 | 0 1 3
033/020 | Medulloblastomas | C000-C809 | 9470-9472 9474 9480 | 0 1 3
033/021 | PNET | C000-C809 | 9473 | 0 1 3
033/022 | Medulloepithelioma | C700-C729 | 9501-9504 | 0 1 3
033/023 | Atypical teratoid/rhabdoid tumor | C000-C809 | 9508 | 0 1 3
034/024 | Oligodendrogliomas | C000-C809 | 9450 9451 9460 | 0 1 3
034/025 | Mixed and unspecified gliomas | C700-C722 C724-C729 C751 C753 | 9380 | 0 1 3
034/025 | Mixed and unspecified gliomas | C000-C809 | 9382 | 0 1 3
034/026 | Neuroepithelial glial tumors of uncertain origin | C000-C809 | 9381 9430 9444 | 0 1 3
035/027 | Pituitary adenomas and carcinomas | C000-C809 | 8270-8281 8300 | 0 1 3
035/028 | Tumors of the sellar region (craniopharyngiomas) | C000-C809 | 9350-9352 9582 | 0 1 3
035/029 | Pineal parenchymal tumors | C000-C809 | 9360-9362 | 0 1 3
035/030 | Neuronal and mixed neuronal-glial tumors | C000-C809 | 9412 9413 9492 9493 9505-9507 | 0 1
  3
035/031 | Meningiomas | C000-C809 | 9530-9539 | 0 1 3
036/032 | Unspecified intracranial and intraspinal neoplasms | C700-C729 C751-C753 | 8000-8005 | 0 1
  3
041/033 | Neuroblastoma and ganglioneuroblastoma | C000-C809 | 9490 9500 | 3
042/034 | Other peripheral nervous cell tumors | C000-C809 | 8680-8683 8690-8693 8700 9520-9523 | 3
042/034 | Other peripheral nervous cell tumors | C000-C699 C739-C768 C809 | 9501-9504 | 3
050/035 | Retinoblastoma | C000-C809 | 9510-9514 | 3
061/036 | Nephroblastoma | C000-C809 | 8959-8960 | 3
061/037 | Rhabdoid renal tumor | C649 | 8963 | 3
061/038 | Kidney sarcomas | C000-C809 | 8964-8967 | 3
061/039 | pPNET of kidney | C649 | 9364 | 3
062/040 | Renal carcinomas | C649 | 8010-8041 8050-8075 8082 8120-8122 8130-8141 8143 8155 8190-8201
  8210 8211 8221-8231 8240 8241 8244-8246 8260-8263 8290 8310 8320 8323 8401 8430 8440 8480-8490
  8504 8510 8550 8560-8576 | 3
062/040 | Renal carcinomas | C000-C809 | 8311 8312 8316-8319 8361 | 3
063/041 | Unspecified malignant renal tumors | C649 | 8000-8005 | 3
071/042 | Hepatoblastoma | C000-C809 | 8970 | 3
072/043 | Hepatic carcinomas | C220 C221 | 8010-8041 8050-8075 8082 8120-8122 8140 8141 8143 8155
  8190-8201 8210 8211 8230 8231 8240 8241 8244-8246 8260-8264 8310 8320 8323 8401 8430 8440
  8480-8490 8504 8510 8550 8560-8576 | 3
072/043 | Hepatic carcinomas | C000-C809 | 8160-8180 | 3
073/044 | Unspecified malignant hepatic tumors | C220-C221 | 8000-8005 | 3
081/045 | Osteosarcomas | C400-C419 C760-C768 C809 | 9180-9187 9191-9195 9200 | 3
082/046 | Chondrosarcomas | C400-C419 C760-C768 C809 | 9210 9220 9240 | 3
082/046 | Chondrosarcomas | C000-C809 | 9221 9230 9241-9243 | 3
083/047 | Ewing tumor and Askin tumor of bone | C400-C419 C760-C768 C809 | 9260 | 3
083/047 | Ewing tumor and Askin tumor of bone | C400-C419 | 9365 | 3
083/048 | pPNET of bone | C400-C419 | 9363 9364 | 3
084/049 | Malignant fibrous neoplasms of bone | C400-C419 | 8810 8811 8823 8830 | 3
084/049 | Malignant fibrous neoplasms of bone | C000-C809 | 8812 9262 | 3
084/050 | Malignant chordomas | C000-C809 | 9370-9372 | 3
084/051 | Odontogenic malignant tumors | C000-C809 | 9270-9275 9280-9282 9290 9300-9302 9310-9312
  9320-9322 9330 9340-9342 | 3
084/052 | Miscellaneous malignant bone tumors | C000-C809 | 9250 9261 | 3
085/053 | Unspecified malignant bone tumors | C400-C419 | 8000-8005 8800 8801 8803-8805 | 3
091/054 | Rhabdomyosarcomas | C000-C809 | 8900-8905 8910 8912 8920 8991 | 3
092/055 | Fibroblastic and myofibroblastic tumors | C000-C399 C440-C768 C809 | 8810 8811 8813-8815
  8821 8823 8834-8835 | 3
092/055 | Fibroblastic and myofibroblastic tumors | C000-C809 | 8820 8822 8824-8827 9150 9160 | 3
092/056 | Nerve sheath tumors | C000-C809 | 9540-9571 | 3
092/057 | Other fibromatous neoplasms | C000-C809 | 9491 9580 | 3
093/058 | Kaposi sarcoma | C000-C809 | 9140 | 3
094/059 | Ewing tumor and Askin tumor of soft tissue | C000-C399 C470-C759 | 9260 | 3
094/059 | Ewing tumor and Askin tumor of soft tissue | C000-C399 C470-C639 C659-C768 C809 | 9365 | 3
094/060 | pPNET of soft tissue | C000-C399 C470-C639 C659-C699 C739-C768 C809 | 9364 | 3
094/061 | Extrarenal rhabdoid tumor | C000-C639 C659-C699 C739-C768 C809 | 8963 | 3
094/062 | Liposarcomas | C000-C809 | 8850-8858 8860-8862 8870 8880 8881 | 3
094/063 | Fibrohistiocytic tumors | C000-C399 C440-C768 C809 | 8830 | 3
094/063 | Fibrohistiocytic tumors | C000-C809 | 8831-8833 8836 9251 9252 | 3
094/064 | Leiomyosarcomas | C000-C809 | 8890-8898 | 3
094/065 | Synovial sarcomas | C000-C809 | 9040-9044 | 3
094/066 | Blood vessel tumors | C000-C809 | 9120-9125 9130-9133 9135 9136 9141 9142 9161 9170-9175 |
  3
094/067 | Osseous and chondromatous neoplasms of soft tissue | C490-C499 | 9180 9210 9220 9240 | 3
094/067 | Osseous and chondromatous neoplasms of soft tissue | C000-C809 | 9231 | 3
094/068 | Alveolar soft parts sarcoma | C000-C809 | 9581 | 3
094/069 | Miscellaneous soft tissue sarcomas | C000-C809 | 8587 8710-8713 8806 8840-8842 8921 8982
  8990 9373 | 3
095/070 | Unspecified soft tissue sarcomas | C000-C399 C440-C768 C809 | 8800-8805 | 3
101/071 | Intracranial and intraspinal germinomas | C700-C729 C751-C753 | 9060-9065 | 0 1 3
101/072 | Intracranial and intraspinal teratomas | C700-C729 C751-C753 | 9080-9084 | 0 1 3
101/073 | Intracranial and intraspinal embryonal carcinomas | C700-C729 C751-C753 | 9070 9072 | 0 1
  3
101/074 | Intracranial and intraspinal yolk sac tumor | C700-C729 C751-C753 | 9071 | 0 1 3
101/075 | Intracranial and intraspinal choriocarcinoma | C700-C729 C751-C753 | 9100 | 0 1 3
101/076 | Intracranial and intraspinal tumors of mixed forms | C700-C729 C751-C753 | 9085 9101 | 0 1
  3
102/077 | Malignant germinomas of extracranial and extragonadal sites | C000-C559 C570-C619
  C630-C699 C739-C750 C754-C768 C809 | 9060-9065 | 3
102/078 | Malignant teratomas of extracranial and extragonadal sites | C000-C559 C570-C619 C630-C699
  C739-C750 C754-C768 C809 | 9080-9084 | 3
102/079 | Embryonal carcinomas of extracranial and extragonadal sites | C000-C559 C570-C619
  C630-C699 C739-C750 C754-C768 C809 | 9070 9072 | 3
102/080 | Yolk sac tumor of extracranial and extragonadal sites | C000-C559 C570-C619 C630-C699
  C739-C750 C754-C768 C809 | 9071 | 3
102/081 | Choriocarcinomas of extracranial and extragonadal sites | C000-C559 C570-C619 C630-C699
  C739-C750 C754-C768 C809 | 9100 9103 9104 | 3
102/082 | Other and unspecified malignant mixed germ cell tumors of extracranial and extragonadal
  sites | C000-C559 C570-C619 C630-C699 C739-C750 C754-C768 C809 | 9085 9101 9102 9105 | 3
103/083 | Malignant gonadal germinomas | C569 C620-C629 | 9060-9065 | 3
103/084 | Malignant gonadal teratomas | C569 C620-C629 | 9080-9084 9090 9091 | 3
103/085 | Gonadal embryonal carcinomas | C569 C620-C629 | 9070 9072 | 3
103/086 | Gonadal yolk sac tumor | C569 C620-C629 | 9071 | 3
103/087 | Gonadal choriocarcinoma | C569 C620-C629 | 9100 | 3
103/088 | Malignant gonadal tumors of mixed forms | C569 C620-C629 | 9085 9101 | 3
103/089 | Malignant gonadal gonadoblastoma | C569 C620-C629 | 9073 | 3
104/090 | Gonadal carcinomas | C569 C620-C629 | 8010-8041 8050-8075 8082 8120-8122 8130-8141 8143
  8190-8201 8210 8211 8221-8241 8244-8246 8260-8263 8290 8310 8313 8320 8323 8380-8384 8430 8440
  8480-8490 8504 8510 8550 8560-8573 9000 9014 9015 | 3
104/090 | Gonadal carcinomas | C000-C809 | 8441-8444 8450 8451 8460-8473 | 3
105/091 | Other and unspecified malignant gonadal tumors | C000-C809 | 8590-8671 | 3
105/091 | Other and unspecified malignant gonadal tumors | C569 C620-C629 | 8000-8005 | 3
111/092 | Adrenocortical carcinomas | C000-C809 | 8370-8375 | 3
112/093 | Thyroid carcinomas | C739 | 8010-8041 8050-8075 8082 8120-8122 8130-8141 8190 8200 8201
  8211 8230 8231 8244-8246 8260-8263 8290 8310 8320 8323 8430 8440 8480-8481 8510 8560-8573 | 3
112/093 | Thyroid carcinomas | C000-C809 | 8330-8337 8340-8347 8350 | 3
113/094 | Nasopharyngeal carcinomas | C110-C119 | 8010-8041 8050-8075 8082 8083 8120-8122 8130-8141
  8190 8200 8201 8211 8230 8231 8244-8246 8260-8263 8290 8310 8320 8323 8430 8440 8480 8481
  8500-8576 | 3
114/095 | Malignant melanomas | C000-C809 | 8720-8780 8790 | 3
115/096 | Skin carcinomas | C440-C449 | 8010-8041 8050-8075 8078 8082 8090-8110 8140 8143 8147 8190
  8200 8240 8246 8247 8260 8310 8320 8323 8390-8420 8430 8480 8542 8560 8570-8573 8940 8941 | 3
116/097 | Carcinomas of salivary glands | C079-C089 | 8010-8084 8120-8157 8190-8264 8290 8310
  8313-8315 8320-8325 8360 8380-8384 8430-8440 8452-8454 8480-8586 8588 8589 8940 8941 8983 9000
  9010-9016 9020 9030 | 3
116/098 | Carcinomas of colon and rectum | C180 C182-C189 C199 C209 C210-C218 | 8010-8084 8120-8157
  8190-8264 8290 8310 8313-8315 8320-8325 8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589
  8940 8941 8983 9000 9010-9016 9020 9030 | 3
116/099 | Carcinomas of appendix | C181 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315
  8320-8325 8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016
  9020 9030 | 3
116/100 | Carcinomas of lung | C340-C349 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315
  8320-8325 8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016
  9020 9030 | 3
116/101 | Carcinomas of thymus | C379 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315 8320-8325
  8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016 9020 9030 | 3
116/102 | Carcinomas of breast | C500-C509 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315
  8320-8325 8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016
  9020 9030 | 3
116/103 | Carcinomas of cervix uteri | C530-C539 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315
  8320-8325 8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016
  9020 9030 | 3
116/104 | Carcinomas of bladder | C670-C679 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315
  8320-8325 8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016
  9020 9030 | 3
116/105 | Carcinomas of eye | C690-C699 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315
  8320-8325 8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016
  9020 9030 | 3
116/106 | Carcinomas of other specified sites | C000-C069 C090-C109 C129-C179 C239-C339 C380-C399
  C480-C488 C510-C529 C540-C549 C559 C570-C619 C630-C639 C659-C669 C680-C689 C700-C729 C750-C759 |
  8010-8084 8120-8157 8190-8264 8290 8310 8313-8315 8320-8325 8360 8380-8384 8430-8440 8452-8454
  8480-8586 8588-8589 8940 8941 8983 9000 9010-9016 9020 9030 | 3
116/107 | Carcinomas of unspecified site | C760-C768 C809 | 8010-8084 8120-8157 8190-8264 8290 8310
  8313-8315 8320-8325 8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000
  9010-9016 9020 9030 | 3
121/108 | Gastrointestinal stromal tumor | C000-C809 | 8936 | 3
121/109 | Pancreatoblastoma | C000-C809 | 8971 | 3
121/110 | Pulmonary blastoma and pleuropulmonary blastoma | C000-C809 | 8972 8973 | 3
121/111 | Other complex mixed and stromal neoplasms | C000-C809 | 8930-8935 8950 8951 8974-8981 | 3
121/112 | Mesothelioma | C000-C809 | 9050-9055 | 3
121/113 | Other specified malignant tumors | C000-C809 | 9110 | 3
121/113 | Other specified malignant tumors | C000-C399 C470-C759 | 9363 | 3
122/114 | Other unspecified malignant tumors | C000-C218 C239-C399 C420-C559 C570-C619 C630-C639
  C659-C699 C739-C750 C754-C809 | 8000-8005 | 3
`
