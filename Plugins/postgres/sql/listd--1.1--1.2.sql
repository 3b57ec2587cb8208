-- Makes polls cheaper for the server. Where the extension cannot be installed, run this file with psql to update
-- from 1.1 to 1.2.

-- The name of the generation in cursors: the system identifier and the token. Polls read it here instead of the
-- control file.
ALTER TABLE listd.incarnation ADD COLUMN name text;
UPDATE listd.incarnation SET name = (SELECT system_identifier FROM pg_control_system()) || '/' || token;

CREATE OR REPLACE FUNCTION listd.version() RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT '1.2' $$;

-- Returns the generation of transaction numbers, for which cursors are valid; NULL if it has no name yet
-- (listd.hello() gives it one).
CREATE OR REPLACE FUNCTION listd.generation() RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF pg_is_in_recovery() THEN
        -- An unlogged table cannot be read on a standby. A promotion ends this generation too.
        RETURN (SELECT system_identifier FROM pg_control_system())
            || '/standby-' || (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint;
    END IF;
    RETURN (SELECT i.name FROM listd.incarnation i);
END $$;

-- Returns the version, the generation and whether the server is a standby. A follower calls it on each new
-- connection.
CREATE OR REPLACE FUNCTION listd.hello(OUT version text, OUT generation text, OUT standby boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    token CONSTANT uuid := gen_random_uuid();
BEGIN
    version := listd.version();
    standby := pg_is_in_recovery();
    generation := listd.generation();
    IF generation IS NULL THEN
        INSERT INTO listd.incarnation (token, name)
            VALUES (token, (SELECT system_identifier FROM pg_control_system()) || '/' || token) ON CONFLICT DO NOTHING;
        IF FOUND THEN
            -- No cursor of the new generation is older than the oldest running transaction. Cursors of a standby's
            -- followers stay valid, however, and need the changes that were committed since the oldest running
            -- transaction began. After a restore, transaction numbers in the future belong to transactions of
            -- another server.
            DELETE FROM listd.change c
                WHERE c.xid < pg_snapshot_xmin(pg_current_snapshot()) OR c.xid >= pg_snapshot_xmax(pg_current_snapshot());
            DELETE FROM listd.mark;
            UPDATE listd.pruned SET xid = pg_snapshot_xmin(pg_current_snapshot());
        END IF;
        generation := listd.generation();
    END IF;
END $$;

-- Returns which lists have changed since their followers' snapshots, as 'INDEX:KEYS' separated by commas: the index
-- in `lists`, from 1, and the number of changed keys. The number is -1 if the whole list has to be read, because
-- more than `enough` keys or an unknown key have changed, or the log does not reach back to the snapshot.
CREATE OR REPLACE FUNCTION listd.poll(
    lists integer[], seen text[], enough integer,
    OUT snapshot text, OUT generation text, OUT changed text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    pruned xid8;
    cursor pg_snapshot;
    keys integer;
    is_whole boolean;
BEGIN
    snapshot := pg_current_snapshot()::text;
    changed := '';
    IF pg_is_in_recovery() THEN
        generation := listd.generation();
        SELECT p.xid INTO pruned FROM listd.pruned p;
    ELSE
        SELECT i.name, p.xid INTO generation, pruned FROM listd.incarnation i, listd.pruned p;
        -- With equal snapshots, no transaction has ended in between. This does not hold on a standby, whose
        -- snapshots do not name the running transactions.
        IF snapshot = ALL (seen) THEN RETURN; END IF;
    END IF;
    FOR i IN 1 .. cardinality(lists) LOOP
        cursor := seen[i]::pg_snapshot;
        IF pg_snapshot_xmin(cursor) < pruned THEN
            keys := -1;
        ELSE
            SELECT count(*), coalesce(bool_or(s.id IS NULL), false) INTO keys, is_whole
                FROM (SELECT * FROM listd.since(lists[i], cursor) AS c(id) LIMIT enough + 1) s;
            IF is_whole OR keys > enough THEN keys := -1; END IF;
        END IF;
        IF keys <> 0 THEN
            changed := changed || CASE changed WHEN '' THEN '' ELSE ',' END || i || ':' || keys;
        END IF;
    END LOOP;
END $$;
