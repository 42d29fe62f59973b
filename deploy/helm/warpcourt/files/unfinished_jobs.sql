SELECT sum(jobs) FROM (
  SELECT count(*) AS jobs FROM submissions_job WHERE state = 'queued' AND queue IN (QUEUES)
  UNION ALL SELECT count(*) AS jobs FROM submissions_job WHERE state = 'leased' AND queue IN (QUEUES)
  UNION ALL SELECT count(*) AS jobs FROM authoring_proofrun WHERE state = 'queued' AND queue IN (QUEUES)
  UNION ALL SELECT count(*) AS jobs FROM authoring_proofrun WHERE state = 'leased' AND queue IN (QUEUES)
  UNION ALL SELECT count(*) AS jobs FROM importing_importrun WHERE state = 'queued' AND queue IN (QUEUES)
  UNION ALL SELECT count(*) AS jobs FROM importing_importrun WHERE state = 'leased' AND queue IN (QUEUES)
  UNION ALL SELECT count(*) AS jobs FROM rejudges_hiddenrun WHERE state = 'queued' AND queue IN (QUEUES)
  UNION ALL SELECT count(*) AS jobs FROM rejudges_hiddenrun WHERE state = 'leased' AND queue IN (QUEUES)
) AS parts
